package org.navitas.runtime.junit;

import org.junit.platform.launcher.TestPlan;
import org.navitas.junit.PlatformTests;
import org.navitas.junit.TestName;
import org.navitas.runtime.Calibration;
import org.navitas.runtime.Recorder;

/**
 * A JUnit Platform listener that marks in the recording when the run and each test begin and end, and how each test
 * ended. Does nothing if there is no recording. {@link org.navitas.junit.PlatformNames} defines the names of tests.
 */
public final class NavitasPlatformListener extends PlatformTests {
    private boolean isPassed;

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan plan) {
        super.testPlanExecutionStarted(plan);
        isPassed = true;
        Recorder.mark(Recorder.RUN_START, Recorder.PASSED, "");
        Calibration.measure();
    }

    @Override
    protected void started(TestName name) {
        Recorder.mark(Recorder.TEST_START, Recorder.PASSED, name.toString());
    }

    @Override
    protected void finished(TestName name, End end, Throwable cause) {
        isPassed &= end != End.FAILED;
        Recorder.mark(Recorder.TEST_FINISH, status(end), name.toString());
        Recorder.requestFlush();
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan plan) {
        Recorder.mark(Recorder.RUN_END, isPassed ? Recorder.PASSED : Recorder.FAILED, "");
        Recorder.flush();
        Calibration.measureFolds();
    }

    private static int status(End end) {
        switch (end) {
            case PASSED:
                return Recorder.PASSED;
            case IGNORED:
                return Recorder.IGNORED;
            case ASSUMPTION:
                return Recorder.ASSUMPTION;
            default:
                return Recorder.FAILED;
        }
    }
}
