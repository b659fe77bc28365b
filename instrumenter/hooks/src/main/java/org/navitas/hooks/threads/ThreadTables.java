package org.navitas.hooks.threads;

import java.lang.ref.WeakReference;
import org.navitas.hooks.base.WeakTable;
import org.navitas.runtime.Hook;

/** What hooks of handed work remember. See {@link org.navitas.hooks.Tables}. */
public final class ThreadTables {
    final WeakTable<WeakReference<Posted>> posted = new WeakTable<>();

    static ThreadTables get() {
        return Hook.isStarted() ? Made.TABLES : new ThreadTables();
    }

    /** The tables of the process, as a constant. */
    public static final class Made {
        public static final ThreadTables TABLES = new ThreadTables();

        private Made() {}
    }
}
