package org.navitas.phone;

import android.util.Log;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The process that {@code am instrument} starts on the virtual phone.
 *
 * <p>Arguments are the keys and values of {@code am}'s {@code -e}: {@code class}, {@code notClass}, {@code package},
 * {@code notPackage}, {@code listener}, {@code log}, and those of {@link RunnerFilters}. The raw instrumentation stream
 * goes to the file of the system property {@code navitas.stream}, or to standard output. Output of tests goes to the
 * log.
 *
 * <p>The system property {@code navitas.testFramework} selects the framework: {@code junit4}, the default, or {@code
 * junit-platform}. Without {@code class}, the tests in {@code navitas.testRoots} (folders and jars, separated as a
 * class path) run.
 */
public final class InstrumentMain {
    static final String TAG = "TestRunner";

    private InstrumentMain() {}

    /** Where tests run: plain Java, or a framework that starts first. */
    public interface Environment {
        /**
         * Calls {@code tests} once.
         *
         * @param tests runs the tests with the class loader of the app's classes
         * @throws Exception what prevented the start
         */
        void run(Consumer<ClassLoader> tests) throws Exception;
    }

    /**
     * Runs the tests on plain Java and ends the process.
     *
     * @param arguments keys and values of {@code am instrument -e}, alternating
     * @throws IOException if the stream cannot be opened
     */
    public static void main(String[] arguments) throws IOException {
        main(tests -> tests.accept(InstrumentMain.class.getClassLoader()), arguments);
    }

    /**
     * Runs the tests and ends the process.
     *
     * @param environment where to run the tests
     * @param arguments keys and values of {@code am instrument -e}, alternating
     * @throws IOException if the stream cannot be opened
     */
    public static void main(Environment environment, String... arguments) throws IOException {
        StatusPrinter printer = new StatusPrinter(stream());
        LogStream.install();
        try {
            environment.run(loader -> run(printer, loader, arguments));
        } catch (Exception | LinkageError e) {
            failed(printer, String.valueOf(e.getMessage()), e);
        }
        System.out.close(); // flushes a last line without a line end
        System.err.close();
        System.exit(0); // threads left by tests must not keep the process alive; shutdown hooks write the recording
    }

    /**
     * Opens the stream. Output that bypasses {@code System.out} (of child processes, native code) must not get into it.
     */
    private static OutputStream stream() throws IOException {
        String file = System.getProperty("navitas.stream");
        return file == null ? new FileOutputStream(FileDescriptor.out) : new FileOutputStream(file);
    }

    /** Prints the whole stream. If the tests cannot run, the result contains the reason. */
    static void run(StatusPrinter printer, ClassLoader loader, String... arguments) {
        String framework = System.getProperty("navitas.testFramework", "junit4");
        boolean isPlatform = framework.equals("junit-platform");
        String needed = isPlatform ? "org.junit.platform.launcher.Launcher" : "org.junit.runner.JUnitCore";
        try {
            Class.forName(needed, false, loader);
        } catch (ClassNotFoundException e) {
            failed(
                    printer,
                    (isPlatform ? "junit-platform-launcher" : "JUnit 4") + " is not on the class path of the tests",
                    e);
            return;
        }
        try {
            Arguments parsed = new Arguments(arguments);
            if (isPlatform) {
                new PlatformRun(parsed, printer, loader).run();
            } else {
                new JUnit4Run(parsed, printer, loader).run();
            }
            if (ProbedClasses.warning() != null) {
                new TestProgress(printer).warn(ProbedClasses.warning());
            }
        } catch (Exception | LinkageError e) {
            failed(printer, e.getClass().getName(), e);
        }
    }

    /** Returns the root cause and where it was thrown. */
    static String reason(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        StackTraceElement[] trace = root.getStackTrace();
        return root
                + (root == error || trace.length == 0
                        ? ""
                        : ", at " + trace[0] + " (the log contains the stack trace)");
    }

    private static void failed(StatusPrinter printer, String problem, Throwable cause) {
        Log.e(TAG, problem, cause);
        SortedMap<String, String> values = new TreeMap<>();
        values.put("shortMsg", problem);
        values.put("longMsg", reason(cause));
        printer.result(StatusPrinter.CANCELED, values);
    }
}
