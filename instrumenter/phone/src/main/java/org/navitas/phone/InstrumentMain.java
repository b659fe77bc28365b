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
 * The process that {@code am instrument} starts on the virtual phone. Arguments are the keys and values of {@code am}'s
 * {@code -e}: {@code class}, {@code notClass}, {@code package}, {@code notPackage}, {@code listener}, {@code log}, and those of
 * {@link RunnerFilters}. The file in the system property {@code navitas.stream}, without it standard output, carries the raw
 * instrumentation stream alone; what tests print goes to the log.
 *
 * <p>The system property {@code navitas.testFramework} says what runs the tests: {@code junit4}, the default, or
 * {@code junit-platform}. Without {@code class} the tests in {@code navitas.testRoots} (a path of folders and jars) are run.
 */
public final class InstrumentMain {
    static final String TAG = "TestRunner";

    private InstrumentMain() {}

    /** What tests run on: plain Java, or a framework that is started first. */
    public interface Environment {
        /** Runs the tests once, giving them the loader of the app's classes; throws what kept it from that. */
        void run(Consumer<ClassLoader> tests) throws Exception;
    }

    public static void main(String[] arguments) throws IOException {
        main(tests -> tests.accept(InstrumentMain.class.getClassLoader()), arguments);
    }

    /** Ends the process. */
    public static void main(Environment environment, String... arguments) throws IOException {
        StatusPrinter printer = new StatusPrinter(stream());
        LogStream.install();
        try {
            environment.run(loader -> run(printer, loader, arguments));
        } catch (Exception | LinkageError e) {
            failed(printer, String.valueOf(e.getMessage()), e);
        }
        System.out.close(); // lines without an end
        System.err.close();
        System.exit(0); // threads that tests leave behind must not keep the process; hooks write what is recorded
    }

    /** What is printed past {@code System.out} (by child processes, native code) must not get into the stream. */
    private static OutputStream stream() throws IOException {
        String file = System.getProperty("navitas.stream");
        return file == null ? new FileOutputStream(FileDescriptor.out) : new FileOutputStream(file);
    }

    /** Prints the whole stream; what keeps the tests from running is its result. */
    static void run(StatusPrinter printer, ClassLoader loader, String... arguments) {
        String framework = System.getProperty("navitas.testFramework", "junit4");
        boolean isPlatform = framework.equals("junit-platform");
        String needed = isPlatform ? "org.junit.platform.launcher.Launcher" : "org.junit.runner.JUnitCore";
        try {
            Class.forName(needed, false, loader);
        } catch (ClassNotFoundException e) {
            failed(printer, (isPlatform ? "junit-platform-launcher" : "JUnit 4") + " is not on the class path of the tests", e);
            return;
        }
        try {
            Arguments parsed = new Arguments(arguments);
            if (isPlatform) {
                new PlatformRun(parsed, printer, loader).run();
            } else {
                new JUnit4Run(parsed, printer, loader).run();
            }
        } catch (Exception | LinkageError e) {
            failed(printer, e.getClass().getName(), e);
        }
    }

    /** The cause that the others come from, and where it was thrown. */
    static String reason(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        StackTraceElement[] trace = root.getStackTrace();
        return root + (root == error || trace.length == 0 ? "" : ", at " + trace[0] + " (the log has the whole trace)");
    }

    private static void failed(StatusPrinter printer, String what, Throwable cause) {
        Log.e(TAG, what, cause);
        SortedMap<String, String> values = new TreeMap<>();
        values.put("shortMsg", what);
        values.put("longMsg", reason(cause));
        printer.result(StatusPrinter.CANCELED, values);
    }
}
