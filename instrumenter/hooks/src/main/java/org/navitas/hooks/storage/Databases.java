package org.navitas.hooks.storage;

import android.content.ContentValues;
import android.database.Cursor;
import android.database.sqlite.SQLiteCursor;
import android.database.sqlite.SQLiteDatabase;
import android.database.sqlite.SQLiteStatement;
import android.os.CancellationSignal;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/**
 * Hooks of Android's databases: calls that use the database, without an amount. A query runs when its result is first
 * moved or counted.
 */
public final class Databases {
    private Databases() {}

    /** Hook of {@link SQLiteDatabase#execSQL(String)}. */
    public static void execSQL(SQLiteDatabase database, String sql) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            database.execSQL(sql);
            done = 0;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#execSQL(String, Object[])}. */
    public static void execSQL(SQLiteDatabase database, String sql, Object[] arguments) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            database.execSQL(sql, arguments);
            done = 0;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#insert(String, String, ContentValues)}. */
    public static long insert(SQLiteDatabase database, String table, String nullColumn, ContentValues values) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            long result = database.insert(table, nullColumn, values);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#insertOrThrow(String, String, ContentValues)}. */
    public static long insertOrThrow(SQLiteDatabase database, String table, String nullColumn, ContentValues values) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            long result = database.insertOrThrow(table, nullColumn, values);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#insertWithOnConflict(String, String, ContentValues, int)}. */
    public static long insertWithOnConflict(SQLiteDatabase database, String table, String nullColumn,
            ContentValues values, int conflict) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            long result = database.insertWithOnConflict(table, nullColumn, values, conflict);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#replace(String, String, ContentValues)}. */
    public static long replace(SQLiteDatabase database, String table, String nullColumn, ContentValues values) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            long result = database.replace(table, nullColumn, values);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#replaceOrThrow(String, String, ContentValues)}. */
    public static long replaceOrThrow(SQLiteDatabase database, String table, String nullColumn, ContentValues values) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            long result = database.replaceOrThrow(table, nullColumn, values);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#update(String, ContentValues, String, String[])}. */
    public static int update(SQLiteDatabase database, String table, ContentValues values, String where,
            String[] arguments) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            int result = database.update(table, values, where, arguments);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#updateWithOnConflict(String, ContentValues, String, String[], int)}. */
    public static int updateWithOnConflict(SQLiteDatabase database, String table, ContentValues values, String where,
            String[] arguments, int conflict) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            int result = database.updateWithOnConflict(table, values, where, arguments, conflict);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#delete(String, String, String[])}. */
    public static int delete(SQLiteDatabase database, String table, String where, String[] arguments) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            int result = database.delete(table, where, arguments);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#query(String, String[], String, String[], String, String, String)}. */
    public static Cursor query(SQLiteDatabase database, String table, String[] columns, String where,
            String[] arguments, String groupBy, String having, String orderBy) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.query(table, columns, where, arguments, groupBy, having, orderBy);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#query(String, String[], String, String[], String, String, String, String)}. */
    public static Cursor query(SQLiteDatabase database, String table, String[] columns, String where,
            String[] arguments, String groupBy, String having, String orderBy, String limit) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.query(table, columns, where, arguments, groupBy, having, orderBy, limit);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#query}. */
    public static Cursor query(SQLiteDatabase database, boolean distinct, String table, String[] columns, String where,
            String[] arguments, String groupBy, String having, String orderBy, String limit) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.query(distinct, table, columns, where, arguments, groupBy, having, orderBy, limit);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#query}. */
    public static Cursor query(SQLiteDatabase database, boolean distinct, String table, String[] columns, String where,
            String[] arguments, String groupBy, String having, String orderBy, String limit,
            CancellationSignal cancellation) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.query(distinct, table, columns, where, arguments, groupBy, having, orderBy, limit,
                    cancellation);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#queryWithFactory}. */
    public static Cursor queryWithFactory(SQLiteDatabase database, SQLiteDatabase.CursorFactory factory,
            boolean distinct, String table, String[] columns, String where, String[] arguments, String groupBy,
            String having, String orderBy, String limit) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.queryWithFactory(factory, distinct, table, columns, where, arguments, groupBy,
                    having, orderBy, limit);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#queryWithFactory}. */
    public static Cursor queryWithFactory(SQLiteDatabase database, SQLiteDatabase.CursorFactory factory,
            boolean distinct, String table, String[] columns, String where, String[] arguments, String groupBy,
            String having, String orderBy, String limit, CancellationSignal cancellation) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.queryWithFactory(factory, distinct, table, columns, where, arguments, groupBy,
                    having, orderBy, limit, cancellation);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#rawQuery(String, String[])}. */
    public static Cursor rawQuery(SQLiteDatabase database, String sql, String[] arguments) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.rawQuery(sql, arguments);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#rawQuery(String, String[], CancellationSignal)}. */
    public static Cursor rawQuery(SQLiteDatabase database, String sql, String[] arguments,
            CancellationSignal cancellation) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.rawQuery(sql, arguments, cancellation);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#rawQueryWithFactory(SQLiteDatabase.CursorFactory, String, String[], String)}. */
    public static Cursor rawQueryWithFactory(SQLiteDatabase database, SQLiteDatabase.CursorFactory factory, String sql,
            String[] arguments, String editTable) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.rawQueryWithFactory(factory, sql, arguments, editTable);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#rawQueryWithFactory}. */
    public static Cursor rawQueryWithFactory(SQLiteDatabase database, SQLiteDatabase.CursorFactory factory, String sql,
            String[] arguments, String editTable, CancellationSignal cancellation) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            Cursor result = database.rawQueryWithFactory(factory, sql, arguments, editTable, cancellation);
            done = 0;
            return result;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteDatabase#endTransaction()}. */
    public static void endTransaction(SQLiteDatabase database) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            database.endTransaction();
            done = 0;
        } finally {
            end(start, done, database);
        }
    }

    /** Hook of {@link SQLiteStatement#execute()}. */
    public static void execute(SQLiteStatement statement) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            statement.execute();
            done = 0;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link SQLiteStatement#executeInsert()}. */
    public static long executeInsert(SQLiteStatement statement) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            long result = statement.executeInsert();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link SQLiteStatement#executeUpdateDelete()}. */
    public static int executeUpdateDelete(SQLiteStatement statement) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            int result = statement.executeUpdateDelete();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link SQLiteStatement#simpleQueryForLong()}. */
    public static long simpleQueryForLong(SQLiteStatement statement) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            long result = statement.simpleQueryForLong();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link SQLiteStatement#simpleQueryForString()}. */
    public static String simpleQueryForString(SQLiteStatement statement) {
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            String result = statement.simpleQueryForString();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link Cursor#getCount}. */
    public static int getCount(Cursor cursor) {
        if (!runs(cursor)) {
            return cursor.getCount();
        }
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            int result = cursor.getCount();
            done = 0;
            return result;
        } finally {
            end(start, done, cursor);
        }
    }

    /** Hook of {@link Cursor#moveToFirst}. */
    public static boolean moveToFirst(Cursor cursor) {
        if (!runs(cursor)) {
            return cursor.moveToFirst();
        }
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            boolean result = cursor.moveToFirst();
            done = 0;
            return result;
        } finally {
            end(start, done, cursor);
        }
    }

    /** Hook of {@link Cursor#moveToNext}. */
    public static boolean moveToNext(Cursor cursor) {
        if (!runs(cursor)) {
            return cursor.moveToNext();
        }
        long start = Hook.begin(Api.SQLITE);
        long done = Hook.FAILED;
        try {
            boolean result = cursor.moveToNext();
            done = 0;
            return result;
        } finally {
            end(start, done, cursor);
        }
    }

    /** Returns whether the next move runs the query: the cursor is before the first row. */
    private static boolean runs(Cursor cursor) {
        return cursor instanceof SQLiteCursor && cursor.getPosition() < 0;
    }

    private static void end(long start, long done, Object user) {
        Hook.end(Api.SQLITE, start, Hook.DATABASE, 0, done, System.identityHashCode(user));
    }
}
