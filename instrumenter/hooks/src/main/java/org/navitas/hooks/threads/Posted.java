package org.navitas.hooks.threads;

import java.lang.ref.WeakReference;
import org.navitas.runtime.Hook;

/**
 * Work that an app posts to a queue from which it can be removed. Each object of the app has one of these, so that its
 * removal finds it. The last post is the origin of all runs that follow.
 */
final class Posted implements Runnable {

    private final Runnable task;
    private volatile long[] origin;

    private Posted(Runnable task) {
        this.task = task;
    }

    /** Returns work that carries its origin; without records, for null, and if it carries one, the work itself. */
    static Runnable of(Runnable task) {
        long[] origin = Handed.carries(task) ? null : Hook.origin();
        if (origin == null) {
            return task;
        }
        synchronized (ThreadTables.get().posted) {
            Posted posted = known(task);
            if (posted == null) {
                posted = new Posted(task);
                ThreadTables.get().posted.put(task, new WeakReference<>(posted));
            }
            posted.origin = origin;
            return posted;
        }
    }

    /** Returns what carries the origin of work that can be in a queue, or null. */
    static Posted known(Runnable task) {
        WeakReference<Posted> known = task == null || Hook.now() == 0
                ? null
                : ThreadTables.get().posted.get(task);
        return known == null ? null : known.get();
    }

    @Override
    public void run() {
        long start = Hook.now();
        long[] from = origin;
        try {
            task.run();
        } finally {
            Hook.handedOver(from, start);
        }
    }

    @Override
    public String toString() {
        return task.toString();
    }
}
