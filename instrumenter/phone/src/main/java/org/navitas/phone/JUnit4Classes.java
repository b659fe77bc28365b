package org.navitas.phone;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import junit.framework.TestCase;
import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

/**
 * Recognises the JUnit 4 or 3 test classes of a Gradle {@code Test} task. The rules are those of Gradle's class scanner
 * (DefaultTestClassScanner, JUnitDetector). A class that JUnit rejects, such as one that is not public, is also a test
 * class.
 */
final class JUnit4Classes {
    /**
     * {@code false} if the task has {@code scanForTestClasses = false}: then every class of its folders is a test
     * class.
     */
    static final String SCAN_PROPERTY = "navitas.scanForTestClasses";

    private JUnit4Classes() {}

    static boolean isTest(Class<?> one) {
        if (NestedClasses.isAnonymous(one) || isRunByItsEnclosing(one)) {
            return false;
        }
        if (!Boolean.parseBoolean(System.getProperty(SCAN_PROPERTY, "true"))) {
            return true;
        }
        if (Modifier.isAbstract(one.getModifiers()) || NestedClasses.isInner(one)) {
            return false;
        }
        for (Class<?> type = one; type != null; type = type.getSuperclass()) {
            if (type == TestCase.class || type.isAnnotationPresent(RunWith.class) || hasTest(type)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasTest(Class<?> type) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.isAnnotationPresent(Test.class)) {
                return true;
            }
        }
        return false;
    }

    static boolean isRunByItsEnclosing(Class<?> one) {
        Class<?> enclosing = one.getEnclosingClass();
        RunWith runner = enclosing == null ? null : enclosing.getAnnotation(RunWith.class);
        return runner != null && Enclosed.class.isAssignableFrom(runner.value());
    }
}
