package org.navitas.phone;

import java.util.HashMap;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.navitas.junit.TestName;
import org.navitas.junit.UniqueNames;

/** Reports the progress of a JUnit 4 run. */
final class InstrumentationListener extends RunListener {
    private final TestProgress progress;
    private final UniqueNames names = new UniqueNames();
    private final Map<Description, TestName> running = new HashMap<>();

    InstrumentationListener(TestProgress progress) {
        this.progress = progress;
    }

    @Override
    public void testRunStarted(Description description) {
        progress.total(description.testCount());
    }

    @Override
    public void testStarted(Description description) {
        TestName name = names.next(description.getClassName(), description.getMethodName());
        running.put(description, name);
        progress.started(name);
    }

    @Override
    public void testFailure(Failure failure) {
        ended(failure, TestProgress.FAILURE);
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        ended(failure, TestProgress.ASSUMPTION_FAILURE);
    }

    @Override
    public void testIgnored(Description description) {
        testStarted(description);
        progress.ended(running.get(description), TestProgress.IGNORED, null);
        testFinished(description);
    }

    @Override
    public void testFinished(Description description) {
        progress.finished(running.remove(description));
    }

    /**
     * Ends a test. A failure without a start is that of a class (for example in {@code @BeforeClass}): reported as a
     * separate test.
     */
    private void ended(Failure failure, int code) {
        Description description = failure.getDescription();
        boolean isStarted = running.containsKey(description);
        if (!isStarted) {
            testStarted(description);
        }
        progress.ended(running.get(description), code, failure.getTrace());
        if (!isStarted) {
            testFinished(description);
        }
    }
}
