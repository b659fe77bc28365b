package org.navitas.phone;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.navitas.junit.TestName;

/**
 * Reports the progress of a run with AndroidJUnitRunner's keys and codes (AndroidX Test: InstrumentationResultPrinter).
 */
final class TestProgress {
    static final int OK = 0, FAILURE = -2, IGNORED = -3, ASSUMPTION_FAILURE = -4;
    private static final int START = 1;
    private static final int IN_PROGRESS = 2;

    private final StatusPrinter printer;
    private final Map<TestName, Test> running = new HashMap<>();
    private int tests;
    private int current;
    private String className = "";

    TestProgress(StatusPrinter printer) {
        this.printer = printer;
    }

    /** Sets the number of tests known so far. */
    void total(int count) {
        tests = count;
    }

    void started(TestName name) {
        started(name, false);
    }

    /** Reports a start. In a list, a container represents its tests, which are known only when it runs. */
    void started(TestName name, boolean isContainer) {
        current++;
        tests = Math.max(tests, current);
        Test test = new Test();
        running.put(name, test);
        test.values.put("id", "AndroidJUnitRunner");
        test.values.put("numtests", Integer.toString(tests));
        test.values.put("current", Integer.toString(current));
        test.values.put("class", name.className);
        test.values.put("test", name.method);
        test.values.put("stream", className.equals(name.className) ? "" : "\n" + name.className + ":");
        if (isContainer) {
            test.values.put("navitas.container", "true");
        }
        className = name.className;
        printer.status(START, test.values);
    }

    /** Sets a test's result; a failed test stays failed. The trace can be null. */
    void ended(TestName name, int code, String trace) {
        Test test = running.get(name);
        test.code = test.code == FAILURE ? FAILURE : code;
        if (trace != null) {
            test.values.put("stack", trace.trim());
            test.values.put("stream", "\nError in " + name.method + "(" + name.className + "):\n" + trace);
        }
    }

    void finished(TestName name) {
        Test test = running.remove(name);
        if (test.code == OK) {
            test.values.put("stream", ".");
        }
        printer.status(test.code, test.values);
    }

    /** Adds a warning to the report of the run. */
    void warn(String text) {
        SortedMap<String, String> values = new TreeMap<>();
        values.put("navitas.warning", text);
        printer.status(IN_PROGRESS, values);
    }

    /** Returns whether a test has begun and not ended. */
    boolean isRunning() {
        return !running.isEmpty();
    }

    private static final class Test {
        final SortedMap<String, String> values = new TreeMap<>();
        int code = OK;
    }
}
