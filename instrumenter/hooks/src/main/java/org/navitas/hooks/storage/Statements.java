package org.navitas.hooks.storage;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of JDBC statements: a call that uses the database, without an amount. */
public final class Statements {
    private Statements() {}

    /** Hook of {@link Statement#execute(String)}. */
    public static boolean execute(Statement statement, String sql) throws SQLException {
        long start = Hook.begin(Api.STATEMENT);
        long done = Hook.FAILED;
        try {
            boolean result = statement.execute(sql);
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link Statement#executeQuery(String)}. */
    public static ResultSet executeQuery(Statement statement, String sql) throws SQLException {
        long start = Hook.begin(Api.STATEMENT);
        long done = Hook.FAILED;
        try {
            ResultSet result = statement.executeQuery(sql);
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link Statement#executeUpdate(String)}. */
    public static int executeUpdate(Statement statement, String sql) throws SQLException {
        long start = Hook.begin(Api.STATEMENT);
        long done = Hook.FAILED;
        try {
            int result = statement.executeUpdate(sql);
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link Statement#executeBatch()}. */
    public static int[] executeBatch(Statement statement) throws SQLException {
        long start = Hook.begin(Api.STATEMENT);
        long done = Hook.FAILED;
        try {
            int[] result = statement.executeBatch();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link PreparedStatement#execute()}. */
    public static boolean execute(PreparedStatement statement) throws SQLException {
        long start = Hook.begin(Api.STATEMENT);
        long done = Hook.FAILED;
        try {
            boolean result = statement.execute();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link PreparedStatement#executeQuery()}. */
    public static ResultSet executeQuery(PreparedStatement statement) throws SQLException {
        long start = Hook.begin(Api.STATEMENT);
        long done = Hook.FAILED;
        try {
            ResultSet result = statement.executeQuery();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    /** Hook of {@link PreparedStatement#executeUpdate()}. */
    public static int executeUpdate(PreparedStatement statement) throws SQLException {
        long start = Hook.begin(Api.STATEMENT);
        long done = Hook.FAILED;
        try {
            int result = statement.executeUpdate();
            done = 0;
            return result;
        } finally {
            end(start, done, statement);
        }
    }

    private static void end(long start, long done, Statement statement) {
        Hook.end(Api.STATEMENT, start, Hook.DATABASE, 0, done, System.identityHashCode(statement));
    }
}
