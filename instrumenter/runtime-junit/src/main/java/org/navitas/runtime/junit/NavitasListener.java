package org.navitas.runtime.junit;

import java.util.HashMap;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.navitas.junit.TestName;
import org.navitas.junit.UniqueNames;
import org.navitas.runtime.Calibration;
import org.navitas.runtime.Recorder;

/**
 * A JUnit 4 listener that marks in the recording when the run and each test begin and end, and how each test ended.
 * Does nothing if there is no recording.
 *
 * <p>A test is named {@code class#method} ({@link TestName}); a parameterised method keeps its index ({@code
 * method[0]}). If a whole class fails or is ignored (for example in {@code @BeforeClass}), it is marked as a test
 * {@code class#null} of no duration, as {@code am instrument} reports it.
 *
 * <p>JUnit calls a listener by one thread at a time.
 */
public final class NavitasListener extends RunListener {
    private final UniqueNames names = new UniqueNames();
    /** Tests that run. */
    private final Map<Description, Started> running = new HashMap<>();

    @Override
    public void testRunStarted(Description description) {
        if ("Dalvik".equals(System.getProperty("java.vm.name"))) {
            PowerProfileFile.leave();
        }
        Recorder.mark(Recorder.RUN_START, Recorder.PASSED, "");
        Calibration.measure();
    }

    @Override
    public void testStarted(Description description) {
        Started test = new Started(next(description));
        running.put(description, test);
        Recorder.mark(Recorder.TEST_START, Recorder.PASSED, test.name.toString());
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
        Started test = running.remove(description);
        if (test != null) {
            Recorder.mark(Recorder.TEST_FINISH, test.status, test.name.toString());
        }
        Recorder.requestFlush();
    }

    @Override
    public void testRunFinished(Result result) {
        Recorder.mark(Recorder.RUN_END, result.wasSuccessful() ? Recorder.PASSED : Recorder.FAILED, "");
        Recorder.flush();
        Calibration.measureFolds();
    }

    /** A failed test stays failed. A description that was never started is a class. */
    private void ended(Description description, int status) {
        Started test = running.get(description);
        if (test == null) {
            mark(description, status);
        } else if (test.status == Recorder.PASSED) {
            test.status = status;
        }
    }

    private void mark(Description description, int status) {
        String name = next(description).toString();
        Recorder.mark(Recorder.TEST_START, Recorder.PASSED, name);
        Recorder.mark(Recorder.TEST_FINISH, status, name);
    }

    private TestName next(Description description) {
        return names.next(description.getClassName(), description.getMethodName());
    }

    /** A running test and its status so far. */
    private static final class Started {
        final TestName name;
        int status = Recorder.PASSED;

        Started(TestName name) {
            this.name = name;
        }
    }
}
