package org.navitas.phone;

import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Tells the progress of a run in AndroidJUnitRunner's keys and codes (AndroidX Test: InstrumentationResultPrinter). */
final class InstrumentationListener extends RunListener {
    private static final int START = 1;
    private static final int OK = 0;
    private static final int FAILURE = -2;
    private static final int IGNORED = -3;
    private static final int ASSUMPTION_FAILURE = -4;

    private final StatusPrinter printer;
    private SortedMap<String, String> result = new TreeMap<>();
    private int tests;
    private int current;
    private int code;
    private String className = "";
    private Description running = Description.EMPTY;

    InstrumentationListener(StatusPrinter printer) {
        this.printer = printer;
    }

    @Override
    public void testRunStarted(Description description) {
        tests = description.testCount();
    }

    @Override
    public void testStarted(Description description) {
        running = description;
        current++;
        code = OK;
        result = new TreeMap<>();
        result.put("id", "AndroidJUnitRunner");
        result.put("numtests", Integer.toString(tests));
        result.put("current", Integer.toString(current));
        result.put("class", description.getClassName());
        result.put("test", String.valueOf(description.getMethodName()));
        boolean isNewClass = !className.equals(description.getClassName());
        result.put("stream", isNewClass ? "\n" + description.getClassName() + ":" : "");
        className = description.getClassName();
        printer.status(START, result);
    }

    @Override
    public void testFailure(Failure failure) {
        ended(failure, FAILURE);
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        ended(failure, ASSUMPTION_FAILURE);
    }

    @Override
    public void testIgnored(Description description) {
        testStarted(description);
        code = IGNORED;
        testFinished(description);
    }

    @Override
    public void testFinished(Description description) {
        if (code == OK) {
            result.put("stream", ".");
        }
        printer.status(code, result);
        running = Description.EMPTY;
    }

    /** What was never started is a class (it failed in {@code @BeforeClass}, say): it is told as a test of its own. */
    private void ended(Failure failure, int how) {
        boolean isStarted = running.equals(failure.getDescription());
        if (!isStarted) {
            testStarted(failure.getDescription());
        }
        if (code != FAILURE) {
            code = how;
        }
        result.put("stack", failure.getTrace().trim());
        result.put("stream", "\nError in " + failure.getDescription().getDisplayName() + ":\n" + failure.getTrace());
        if (!isStarted) {
            testFinished(failure.getDescription());
        }
    }
}
