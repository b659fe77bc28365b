package org.navitas.phone;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherFactory;
import org.navitas.junit.PlatformTests;
import org.navitas.junit.TestName;

/** Runs or lists the selected tests with the user's JUnit Platform and its engines. */
final class PlatformRun {
    private final Arguments arguments;
    private final StatusPrinter printer;
    private final ClassLoader loader;

    PlatformRun(Arguments arguments, StatusPrinter printer, ClassLoader loader) {
        this.arguments = arguments;
        this.printer = printer;
        this.loader = loader;
    }

    /** Runs the tests; throws what prevents the start. */
    void run() throws Exception {
        TestProgress progress = new TestProgress(printer);
        PlatformListener listener = new PlatformListener(progress);
        Launcher launcher = LauncherFactory.create();
        PlatformSelection selection =
                new PlatformSelection(arguments, System.getProperty("navitas.testRoots", ""), loader, launcher);
        List<TestExecutionListener> listeners = listeners();
        listeners.add(0, listener);
        long start = System.nanoTime();
        if (arguments.isListOnly()) {
            list(selection, listener, progress);
        } else {
            Parallel.warnings(loader).forEach(progress::warn);
            selection.missing().forEach(listener::missing);
            if (!selection.isEmpty()) {
                launcher.execute(selection.request(), listeners.toArray(new TestExecutionListener[0]));
            }
        }
        SortedMap<String, String> values = new TreeMap<>();
        values.put("stream", summary((System.nanoTime() - start) / 1e9, listener));
        printer.result(StatusPrinter.OK, values);
    }

    private List<TestExecutionListener> listeners() throws ReflectiveOperationException {
        List<TestExecutionListener> listeners = new ArrayList<>();
        for (String name : arguments.listeners()) {
            Object listener =
                    Class.forName(name, true, loader).getDeclaredConstructor().newInstance();
            listeners.add((TestExecutionListener) listener);
        }
        return listeners;
    }

    /** Reports every test as started and passed, without running it; for dynamic tests, reports their container. */
    private static void list(PlatformSelection selection, PlatformListener listener, TestProgress progress) {
        selection.missing().forEach(listener::missing);
        progress.total(selection.leaves().size());
        for (TestIdentifier leaf : selection.leaves()) {
            TestName name = selection.names().of(leaf);
            progress.started(name, !PlatformTests.isTest(leaf));
            progress.finished(name);
            listener.tests++;
        }
    }

    /** Ends like JUnit 4's TextListener. */
    private static String summary(double seconds, PlatformListener listener) {
        String time = String.format(Locale.ROOT, "\nTime: %.3f\n\n", seconds);
        int run = listener.tests;
        return time
                + (listener.failures == 0
                        ? "OK (" + run + " test" + (run == 1 ? "" : "s") + ")\n\n"
                        : "FAILURES!!!\nTests run: " + run + ",  Failures: " + listener.failures + "\n\n");
    }
}
