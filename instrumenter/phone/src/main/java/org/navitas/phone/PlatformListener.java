package org.navitas.phone;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.navitas.junit.PlatformTests;
import org.navitas.junit.TestName;

/** Reports the progress of a run on the JUnit Platform. */
final class PlatformListener extends PlatformTests {
    private final TestProgress progress;
    private int expected;
    private boolean hasOverlap;
    /** Number of tests that have begun and were not ignored, and of failed ones. */
    int tests, failures;

    PlatformListener(TestProgress progress) {
        this.progress = progress;
    }

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan plan) {
        super.testPlanExecutionStarted(plan);
        expected += (int) plan.countTestIdentifiers(PlatformTests::isTest);
        progress.total(expected);
    }

    @Override
    public synchronized void dynamicTestRegistered(TestIdentifier identifier) {
        if (isTest(identifier)) {
            progress.total(++expected);
        }
    }

    @Override
    protected void started(TestName name) {
        if (progress.isRunning() && !hasOverlap) {
            hasOverlap = true;
            progress.warn(
                    "tests overlapped (" + name + " began while another ran): their energies cannot be separated");
        }
        tests++;
        progress.started(name);
    }

    @Override
    protected void finished(TestName name, End end, Throwable cause) {
        if (end == End.FAILED) {
            failures++;
            progress.ended(name, TestProgress.FAILURE, trace(cause));
        } else if (end == End.ASSUMPTION) {
            progress.ended(name, TestProgress.ASSUMPTION_FAILURE, trace(cause));
        } else if (end == End.IGNORED) {
            tests--;
            progress.ended(name, TestProgress.IGNORED, null);
        }
        progress.finished(name);
    }

    /** Reports a requested class that cannot be loaded as a failed test, as JUnit 4 does. */
    void missing(String className, Throwable cause) {
        TestName name = new TestName(className, "initializationError");
        started(name);
        finished(name, End.FAILED, cause);
    }

    private static String trace(Throwable cause) {
        StringWriter text = new StringWriter();
        if (cause != null) {
            cause.printStackTrace(new PrintWriter(text, true));
        }
        return text.toString();
    }
}
