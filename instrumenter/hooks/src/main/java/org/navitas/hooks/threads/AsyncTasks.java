package org.navitas.hooks.threads;

import android.os.AsyncTask;
import java.util.concurrent.Executor;

/** Hooks of asynchronous tasks: their background work carries where it was handed over. */
@SuppressWarnings("deprecation")
public final class AsyncTasks {
    private AsyncTasks() {}

    /** Hook of {@link AsyncTask#execute(Runnable)}. */
    public static void execute(Runnable task) {
        AsyncTask.execute(Handed.of(task));
    }

    /** Hook of {@link AsyncTask#execute(Object[])}. */
    @SafeVarargs
    public static <P, S, R> AsyncTask<P, S, R> execute(AsyncTask<P, S, R> task, P... parameters) {
        return executeOnExecutor(task, AsyncTask.SERIAL_EXECUTOR, parameters);
    }

    /** Hook of {@link AsyncTask#executeOnExecutor}. */
    @SafeVarargs
    public static <P, S, R> AsyncTask<P, S, R> executeOnExecutor(
            AsyncTask<P, S, R> task, Executor executor, P... parameters) {
        return task.executeOnExecutor(executor == null ? null : new Carrier(executor), parameters);
    }

    /** Hands over what it gets; a task calls it once, on the thread that executes the task. */
    private static final class Carrier implements Executor {
        private final Executor executor;

        Carrier(Executor executor) {
            this.executor = executor;
        }

        @Override
        public void execute(Runnable work) {
            executor.execute(Handed.of(work));
        }
    }
}
