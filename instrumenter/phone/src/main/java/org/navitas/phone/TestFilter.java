package org.navitas.phone;

import org.junit.runner.Description;
import org.junit.runner.manipulation.Filter;

/** Keeps some tests, and every container that has one of them. */
abstract class TestFilter extends Filter {
    private final String text;

    TestFilter(String text) {
        this.text = text;
    }

    abstract boolean keeps(Description test);

    @Override
    public boolean shouldRun(Description description) {
        if (description.isTest()) {
            return keeps(description);
        }
        for (Description child : description.getChildren()) {
            if (shouldRun(child)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String describe() {
        return text;
    }
}
