package org.navitas.junit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * A run on the JUnit Platform, told in terms of tests.
 *
 * <p>What fails or is given up above its tests (in {@code @BeforeAll}, or a test factory) is told as a test of its own, named
 * after its class or method, that starts and ends at once. Of a container that is skipped each test is told as ignored.
 * Methods are called by one thread at a time.
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

    /** A test begins. */
    protected abstract void started(TestName name);

    /** A test that began has ended; the cause is null where there is none. */
    protected abstract void finished(TestName name, End end, Throwable cause);

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
        names = new PlatformNames(testPlan);
    }

    /** Whether it is a test and nothing else: what is a container too (Spock's features with data) runs the tests within. */
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
            boolean isEmptyTest = identifier.isTest() && plan.getChildren(identifier).isEmpty();
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
