package org.navitas.android;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Wakes who waits for the main thread's queue when its messages are due; on a thread of its own, which starts with the first. */
final class Alarm {
    private static final ScheduledThreadPoolExecutor CLOCK = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "phone alarm");
        thread.setDaemon(true);
        return thread;
    });
    private static final Object REGISTRY;
    private static final Method RESOURCES;

    static {
        try { // comes as an AAR, which is nothing to compile against
            Class<?> registry = Class.forName("androidx.test.espresso.IdlingRegistry");
            REGISTRY = registry.getMethod("getInstance").invoke(null);
            RESOURCES = registry.getMethod("getResources");
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private Alarm() {}

    /** Whether there are resources that Espresso may wait for. */
    static boolean isNeeded() {
        try {
            return !((Collection<?>) RESOURCES.invoke(REGISTRY)).isEmpty();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static void set(Object queue, long delayMillis) {
        CLOCK.schedule(() -> {
            synchronized (queue) {
                queue.notifyAll();
            }
        }, delayMillis, TimeUnit.MILLISECONDS);
    }
}
