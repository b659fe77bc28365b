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
 * Which classes AndroidJUnitRunner takes for tests when no class is named (AndroidX Test: TestRequestBuilder, ClassPathScanner,
 * ScanningTestLoader).
 */
final class RunnerScan {
    /** The packages that ClassPathScanner leaves out. */
    private static final List<String> LEFT_OUT = Arrays.asList(
            "junit", "org.junit", "org.hamcrest", "org.mockito", "androidx.test.internal.runner.junit3", "androidx.test.runner.suites",
            "android.support.test.internal.runner.junit3", "org.jacoco", "net.bytebuddy");
    /** Libraries that hold no tests. The runner searches them; leaving them out saves the time to load their classes. */
    private static final List<String> WITHOUT_TESTS = Arrays.asList(
            "androidx.test", "android.support.test", "kotlin", "kotlinx", "org.navitas.runtime", "org.navitas.junit");

    private RunnerScan() {}

    /**
     * Whether a class of this name is loaded to see if it is a test.
     *
     * @param packages those that the argument {@code package} names: what it names is searched, even where it is left out otherwise
     */
    static Predicate<String> names(Collection<String> packages) {
        return name -> name.indexOf('$') < 0
                && LEFT_OUT.stream().noneMatch(one -> isIn(name, one) && !packages.contains(one))
                && WITHOUT_TESTS.stream().noneMatch(one -> isIn(name, one) && packages.stream().noneMatch(asked -> isIn(name, asked)));
    }

    private static boolean isIn(String name, String packageName) {
        return name.startsWith(packageName + ".");
    }

    /** As JUnit's builders decide, in their order: ignored, {@code @RunWith}, {@code suite()}, JUnit 3, JUnit 4. */
    static boolean isTest(Class<?> one) {
        if (Modifier.isAbstract(one.getModifiers())) { // an interface is, too
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
            boolean isJUnit3 = takesNothing && method.getName().startsWith("test") && method.getReturnType() == void.class;
            if (isTestCase ? isJUnit3 : method.isAnnotationPresent(Test.class)) {
                return true;
            }
        }
        return false;
    }
}
