package org.navitas.phone;

import android.util.Log;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The process that {@code am instrument} starts on the virtual phone. Arguments are the keys and values of {@code am}'s
 * {@code -e}: {@code class}, {@code notClass}, {@code package}, {@code listener}, {@code log}. Standard output carries the raw
 * instrumentation stream alone; what tests print goes to the log.
 *
 * <p>Without {@code class} the tests in the system property {@code navitas.testRoots} (a path of folders and jars) are run.
 */
public final class InstrumentMain {
    static final String TAG = "TestRunner";

    private InstrumentMain() {}

    public static void main(String[] arguments) {
        StatusPrinter printer = new StatusPrinter(new FileOutputStream(FileDescriptor.out));
        LogStream.install();
        run(printer, arguments);
        System.out.close(); // lines without an end
        System.err.close();
        System.exit(0); // threads that tests leave behind must not keep the process; hooks write what is recorded
    }

    /** Prints the whole stream; what keeps the tests from running is its result. */
    static void run(StatusPrinter printer, String... arguments) {
        ClassLoader loader = InstrumentMain.class.getClassLoader();
        try {
            Class.forName("org.junit.runner.JUnitCore", false, loader);
            new JUnit4Run(new Arguments(arguments), printer, loader).run();
        } catch (ClassNotFoundException e) {
            boolean noJUnit = e.getMessage() != null && e.getMessage().contains("JUnitCore");
            failed(printer, noJUnit ? "JUnit 4 is not on the class path of the tests" : "class not found", e);
        } catch (Exception | LinkageError e) {
            failed(printer, e.getClass().getName(), e);
        }
    }

    private static void failed(StatusPrinter printer, String what, Throwable cause) {
        Log.e(TAG, what, cause);
        SortedMap<String, String> values = new TreeMap<>();
        values.put("shortMsg", what);
        values.put("longMsg", String.valueOf(cause));
        printer.result(StatusPrinter.CANCELED, values);
    }
}
