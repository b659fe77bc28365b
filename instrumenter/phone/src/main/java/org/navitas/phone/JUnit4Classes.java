package org.navitas.phone;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import junit.framework.TestCase;
import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

/** Which classes hold tests of JUnit 4 or 3. */
final class JUnit4Classes {
    private JUnit4Classes() {}

    static boolean isTest(Class<?> one) {
        if (one.isInterface() || Modifier.isAbstract(one.getModifiers()) || isRunByItsEnclosing(one)) {
            return false;
        }
        if (one.isAnnotationPresent(RunWith.class)) {
            return true;
        }
        boolean isTestCase = TestCase.class.isAssignableFrom(one);
        for (Method method : one.getMethods()) {
            boolean isJUnit3 = isTestCase && method.getName().startsWith("test") && method.getParameterTypes().length == 0;
            if (isJUnit3 || method.isAnnotationPresent(Test.class)) {
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
