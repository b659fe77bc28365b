package org.navitas.junit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Reports a run on the JUnit Platform as a sequence of tests.
 *
 * <p>A failure or abort above the tests (in {@code @BeforeAll} or in a test factory) is reported as a test that starts
 * and ends at once, named after its class or method. If a container is skipped, each of its tests is reported as
 * ignored. The callbacks are called by one thread at a time.
 */
public abstract class PlatformTests implements TestExecutionListener {
    /** How a test ended. */
    public enum End {
        PASSED,
        FAILED,
        IGNORED,
        ASSUMPTION
    }

    private PlatformNames names;
    private TestPlan plan;

    /**
     * Called when a test begins.
     *
     * @param name the test's unique name
     */
    protected abstract void started(TestName name);

    /**
     * Called when a test has ended.
     *
     * @param name the name passed to {@link #started}
     * @param end how it ended
     * @param cause the exception, or null
     */
    protected abstract void finished(TestName name, End end, Throwable cause);

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
        names = new PlatformNames(testPlan);
    }

    /**
     * Returns whether an identifier is a test only. A test that is also a container (such as Spock's data-driven
     * features) runs the tests within it.
     *
     * @param identifier of a test plan
     * @return true for tests that are not containers
     */
    public static boolean isTest(TestIdentifier identifier) {
        return identifier.isTest() && !identifier.isContainer();
    }

    @Override
    public synchronized void executionStarted(TestIdentifier identifier) {
        if (isTest(identifier)) {
            started(names.of(identifier));
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        boolean isPassed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (!isTest(identifier)) {
            boolean isEmptyTest =
                    identifier.isTest() && plan.getChildren(identifier).isEmpty();
            if (isPassed && !isEmptyTest) {
                return;
            }
            started(names.of(identifier));
        }
        boolean isFailed = result.getStatus() == TestExecutionResult.Status.FAILED;
        End end = isPassed ? End.PASSED : isFailed ? End.FAILED : End.ASSUMPTION;
        finished(names.of(identifier), end, result.getThrowable().orElse(null));
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier identifier, String reason) {
        if (plan.getChildren(identifier).isEmpty()) {
            started(names.of(identifier));
            finished(names.of(identifier), End.IGNORED, null);
            return;
        }
        for (TestIdentifier child : plan.getChildren(identifier)) {
            executionSkipped(child, reason);
        }
    }
}
