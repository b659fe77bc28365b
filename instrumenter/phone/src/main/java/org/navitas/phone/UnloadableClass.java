package org.navitas.phone;

import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunNotifier;

/**
 * A named class that cannot be loaded: one failed test {@code initializationError}, as JUnit reports a broken class.
 */
final class UnloadableClass extends Runner {
    private final Description description;
    private final Throwable cause;

    UnloadableClass(String className, Throwable cause) {
        // A description without children is a test; JUnit parses the class and the method from its name.
        description = Description.createSuiteDescription("initializationError(" + className + ")");
        this.cause = cause;
    }

    @Override
    public Description getDescription() {
        return description;
    }

    @Override
    public void run(RunNotifier notifier) {
        notifier.fireTestStarted(description);
        notifier.fireTestFailure(new Failure(description, cause));
        notifier.fireTestFinished(description);
    }
}
