package org.navitas.runtime.junit;

import java.util.HashMap;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.navitas.runtime.Recorder;

/**
 * Marks in the recording when the run and each test begin and end, and how each test ended. Does nothing while nothing is
 * recorded.
 *
 * <p>A test is named {@code class#method}, with a parameterised method's index kept ({@code method[0]}). What fails or is
 * ignored as a whole class (in {@code @BeforeClass}, say) is marked as a test {@code class#null} that takes no time, as
 * {@code am instrument} reports it.
 *
 * <p>JUnit calls a listener by one thread at a time.
 */
public final class NavitasListener extends RunListener {
    /** Tests that run, with their status so far. */
    private final Map<Description, Integer> running = new HashMap<>();

    @Override
    public void testRunStarted(Description description) {
        Recorder.mark(Recorder.RUN_START, Recorder.PASSED, "");
    }

    @Override
    public void testStarted(Description description) {
        running.put(description, Recorder.PASSED);
        Recorder.mark(Recorder.TEST_START, Recorder.PASSED, name(description));
    }

    @Override
    public void testFailure(Failure failure) {
        ended(failure.getDescription(), Recorder.FAILED);
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        ended(failure.getDescription(), Recorder.ASSUMPTION);
    }

    @Override
    public void testIgnored(Description description) {
        mark(description, Recorder.IGNORED);
    }

    @Override
    public void testFinished(Description description) {
        Integer status = running.remove(description);
        Recorder.mark(Recorder.TEST_FINISH, status == null ? Recorder.PASSED : status, name(description));
        Recorder.requestFlush();
    }

    @Override
    public void testRunFinished(Result result) {
        Recorder.mark(Recorder.RUN_END, result.wasSuccessful() ? Recorder.PASSED : Recorder.FAILED, "");
        Recorder.flush();
    }

    /** A failed test stays failed; what was never started is a class. */
    private void ended(Description description, int status) {
        Integer before = running.get(description);
        if (before == null) {
            mark(description, status);
        } else if (before == Recorder.PASSED) {
            running.put(description, status);
        }
    }

    private static void mark(Description description, int status) {
        Recorder.mark(Recorder.TEST_START, Recorder.PASSED, name(description));
        Recorder.mark(Recorder.TEST_FINISH, status, name(description));
    }

    private static String name(Description description) {
        return description.getClassName() + "#" + description.getMethodName();
    }
}
