package org.navitas.phone.android.shared;

import java.util.List;
import java.util.function.Consumer;

/** What the process runs within the framework. Set outside it, and run inside it. */
public final class FrameworkTask {
    private static List<String> arguments = List.of();
    private static Consumer<ClassLoader> task;
    private static boolean isDone;

    private FrameworkTask() {}

    /**
     * Sets the task, before the framework starts.
     *
     * @param keysAndValues the arguments of {@code am instrument -e}, alternating
     * @param action takes the framework's class loader
     */
    public static void set(List<String> keysAndValues, Consumer<ClassLoader> action) {
        arguments = keysAndValues;
        task = action;
    }

    /**
     * Returns the arguments of {@code am instrument -e}.
     *
     * @return keys and values, alternating
     */
    public static List<String> arguments() {
        return arguments;
    }

    /**
     * Runs the task.
     *
     * @param loader the framework's class loader
     */
    public static void run(ClassLoader loader) {
        task.accept(loader);
        isDone = true;
    }

    /**
     * Returns whether the task has run.
     *
     * @return false if the framework did not start
     */
    public static boolean isDone() {
        return isDone;
    }
}
