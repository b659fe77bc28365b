package org.navitas.hooks.storage;

import android.database.Cursor;
import android.database.sqlite.SQLiteCursor;

/** A use of Android's databases, without an amount. A query runs when its result is first moved or counted. */
final class DatabaseUse {
    private DatabaseUse() {}

    /** Returns whether the next move runs the query: the cursor is before the first row. */
    static boolean runs(Cursor cursor) {
        return cursor instanceof SQLiteCursor && cursor.getPosition() < 0;
    }
}
