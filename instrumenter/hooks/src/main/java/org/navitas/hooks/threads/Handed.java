package org.navitas.hooks.threads;

import java.util.concurrent.Callable;
import org.navitas.runtime.Hook;

/** Work that carries where it was handed over. */
final class Handed<T> implements Runnable, Callable<T> {
    final Object task;
    private final long[] origin;

    private Handed(Object task, long[] origin) {
        this.task = task;
        this.origin = origin;
    }

    /** Returns work that carries its origin; without records, for null, and if it carries one, the work itself. */
    static Runnable of(Runnable task) {
        long[] origin = carries(task) ? null : Hook.origin();
        return origin == null ? task : new Handed<Object>(task, origin);
    }

    /** Returns work that carries its origin; without records, and for null, the work itself. */
    static <T> Callable<T> of(Callable<T> task) {
        long[] origin = task == null ? null : Hook.origin();
        return origin == null ? task : new Handed<T>(task, origin);
    }

    /** Returns whether work needs no origin: a dispatcher hands on what a coroutine handed to it. */
    static boolean carries(Runnable task) {
        return task == null || task instanceof Handed || task instanceof Posted;
    }

    @Override
    public void run() {
        long start = Hook.now();
        try {
            ((Runnable) task).run();
        } finally {
            Hook.handedOver(origin, start);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public T call() throws Exception {
        long start = Hook.now();
        try {
            return ((Callable<T>) task).call();
        } finally {
            Hook.handedOver(origin, start);
        }
    }

    @Override
    public String toString() {
        return task.toString();
    }
}
