package org.navitas.hooks.threads;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Hooks of executors: work carries where it was handed over. Work passes through as it is where the app could see the
 * difference: in executors, queues and handlers of rejected work of its own, and if it is comparable or a future.
 */
public final class Executors {
    private Executors() {}

    /** Hook of {@link Executor#execute}. */
    public static void execute(Executor executor, Runnable task) {
        executor.execute(mayCarry(executor) && !isSeen(executor, task) ? Handed.of(task) : task);
    }

    /** Hook of {@link ExecutorService#submit(Runnable)}. */
    public static Future<?> submit(ExecutorService executor, Runnable task) {
        return executor.submit(mayCarry(executor) ? Handed.of(task) : task);
    }

    /** Hook of {@link ExecutorService#submit(Runnable, Object)}. */
    public static <T> Future<T> submit(ExecutorService executor, Runnable task, T result) {
        return executor.submit(mayCarry(executor) ? Handed.of(task) : task, result);
    }

    /** Hook of {@link ExecutorService#submit(Callable)}. */
    public static <T> Future<T> submit(ExecutorService executor, Callable<T> task) {
        return executor.submit(mayCarry(executor) ? Handed.of(task) : task);
    }

    /** Hook of {@link ScheduledExecutorService#schedule(Runnable, long, TimeUnit)}. */
    public static ScheduledFuture<?> schedule(
            ScheduledExecutorService executor, Runnable task, long delay, TimeUnit unit) {
        return executor.schedule(mayCarry(executor) ? Handed.of(task) : task, delay, unit);
    }

    /** Hook of {@link ScheduledExecutorService#schedule(Callable, long, TimeUnit)}. */
    public static <T> ScheduledFuture<T> schedule(
            ScheduledExecutorService executor, Callable<T> task, long delay, TimeUnit unit) {
        return executor.schedule(mayCarry(executor) ? Handed.of(task) : task, delay, unit);
    }

    /** Hook of {@link ThreadPoolExecutor#remove}: also finds work that carries its origin. */
    public static boolean remove(ThreadPoolExecutor executor, Runnable task) {
        if (executor.remove(task)) {
            return true;
        }
        for (Runnable each : executor.getQueue()) {
            if (each instanceof Handed && ((Handed<?>) each).task.equals(task)) {
                return executor.remove(each);
            }
        }
        return false;
    }

    private static boolean mayCarry(Executor executor) {
        return executor != null && isPlatform(executor);
    }

    private static boolean isSeen(Executor executor, Runnable task) {
        if (task instanceof Comparable || task instanceof Future) {
            return true;
        }
        if (!(executor instanceof ThreadPoolExecutor)) {
            return false;
        }
        ThreadPoolExecutor pool = (ThreadPoolExecutor) executor;
        return pool.getQueue() instanceof PriorityBlockingQueue
                || !isPlatform(pool.getQueue())
                || !isPlatform(pool.getRejectedExecutionHandler());
    }

    private static boolean isPlatform(Object object) {
        return object.getClass().getClassLoader() == Executor.class.getClassLoader();
    }
}
