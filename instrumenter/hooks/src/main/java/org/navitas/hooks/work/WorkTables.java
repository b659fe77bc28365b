package org.navitas.hooks.work;

import org.navitas.hooks.base.LatestUsed;
import org.navitas.hooks.base.Started;
import org.navitas.hooks.base.WeakTable;
import org.navitas.runtime.Hook;

/** What hooks of jobs and of the work manager remember. See {@link org.navitas.hooks.Tables}. */
public final class WorkTables {
    private static final int MOST_JOBS = 4096;

    /** Workers that have begun. A worker works once; a coroutine's later segments are no work of their own. */
    final Started workers = new Started();

    final WeakTable<Chains> chains = new WeakTable<>();
    /** The last request of each id: a request replaces the job with its id, of any class. */
    final LatestUsed<Integer, Jobs> jobs = new LatestUsed<>(MOST_JOBS);

    static WorkTables get() {
        return Hook.isStarted() ? Made.TABLES : new WorkTables();
    }

    /** The tables of the process, as a constant. */
    public static final class Made {
        public static final WorkTables TABLES = new WorkTables();

        private Made() {}
    }
}
