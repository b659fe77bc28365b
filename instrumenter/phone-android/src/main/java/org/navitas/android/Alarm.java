package org.navitas.android;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Wakes threads that wait for the main thread's queue when its messages are due. Uses one thread, started on first use.
 */
final class Alarm {
    private static final ScheduledThreadPoolExecutor CLOCK = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "phone alarm");
        thread.setDaemon(true);
        return thread;
    });
    private static final Object REGISTRY;
    private static final Method RESOURCES;

    static {
        try { // part of an AAR, which is not on the compile class path
            Class<?> registry = Class.forName("androidx.test.espresso.IdlingRegistry");
            REGISTRY = registry.getMethod("getInstance").invoke(null);
            RESOURCES = registry.getMethod("getResources");
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private Alarm() {}

    /** Returns whether there are resources that Espresso can wait for. */
    static boolean isNeeded() {
        try {
            return !((Collection<?>) RESOURCES.invoke(REGISTRY)).isEmpty();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static void set(Object queue, long delayMillis) {
        CLOCK.schedule(
                () -> {
                    synchronized (queue) {
                        queue.notifyAll();
                    }
                },
                delayMillis,
                TimeUnit.MILLISECONDS);
    }
}
