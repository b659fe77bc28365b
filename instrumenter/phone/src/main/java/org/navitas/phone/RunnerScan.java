package org.navitas.phone;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import junit.framework.TestCase;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.RunWith;

/**
 * Recognises the classes that AndroidJUnitRunner runs as tests if no class is named (AndroidX Test: TestRequestBuilder,
 * ClassPathScanner, ScanningTestLoader).
 */
final class RunnerScan {
    /** The packages that ClassPathScanner excludes. */
    private static final List<String> EXCLUDED = Arrays.asList(
            "junit",
            "org.junit",
            "org.hamcrest",
            "org.mockito",
            "androidx.test.internal.runner.junit3",
            "androidx.test.runner.suites",
            "android.support.test.internal.runner.junit3",
            "org.jacoco",
            "net.bytebuddy");
    /** Libraries without tests. The runner searches them; this code does not, to avoid loading their classes. */
    private static final List<String> WITHOUT_TESTS = Arrays.asList(
            "androidx.test", "android.support.test", "kotlin", "kotlinx", "org.navitas.runtime", "org.navitas.junit");

    private RunnerScan() {}

    /**
     * Returns whether to load a class of a given name to see if it is a test.
     *
     * @param packages values of the argument {@code package}; these are searched even if they are excluded by default
     */
    static Predicate<String> names(Collection<String> packages) {
        return name -> name.indexOf('$') < 0
                && EXCLUDED.stream().noneMatch(one -> isIn(name, one) && !packages.contains(one))
                && WITHOUT_TESTS.stream()
                        .noneMatch(one ->
                                isIn(name, one) && packages.stream().noneMatch(included -> isIn(name, included)));
    }

    private static boolean isIn(String name, String packageName) {
        return name.startsWith(packageName + ".");
    }

    /** Decides as JUnit's builders, in their order: ignored, {@code @RunWith}, {@code suite()}, JUnit 3, JUnit 4. */
    static boolean isTest(Class<?> one) {
        if (Modifier.isAbstract(one.getModifiers())) { // includes interfaces
            return false;
        }
        if (one.isAnnotationPresent(Ignore.class) || one.isAnnotationPresent(RunWith.class)) {
            return true;
        }
        boolean isTestCase = TestCase.class.isAssignableFrom(one);
        for (Method method : one.getMethods()) {
            boolean takesNothing = method.getParameterTypes().length == 0;
            if (takesNothing && method.getName().equals("suite")) {
                return true;
            }
            boolean isJUnit3 =
                    takesNothing && method.getName().startsWith("test") && method.getReturnType() == void.class;
            if (isTestCase ? isJUnit3 : method.isAnnotationPresent(Test.class)) {
                return true;
            }
        }
        return false;
    }
}
