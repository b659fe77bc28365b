package org.navitas.phone;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runners.Suite;

/** Expects the behaviour of AndroidJUnitRunner 1.4. */
public class RunnerScanTest {
    public static class Cases extends TestCase {
        public void testOne() {}
    }

    public static class NoCases extends TestCase {
        @Test
        public void jUnit4InTestCaseIsNotATest() {}

        public int testOfAnotherType() {
            return 1;
        }
    }

    public static class OldSuite {
        public static junit.framework.Test suite() {
            return new TestSuite(Cases.class);
        }
    }

    @RunWith(Suite.class)
    @Suite.SuiteClasses(Cases.class)
    public static class NewSuite {}

    @Ignore
    public static class Ignored {}

    private static List<String> accepted(Predicate<String> names, String... all) {
        return Stream.of(all).filter(names).collect(Collectors.toList());
    }

    @Test
    public void skipsNestedClassesAndLibraries() {
        Predicate<String> names = RunnerScan.names(Collections.emptyList());
        assertEquals(
                Arrays.asList("a.ATest", "junitparams.ATest", "kotlinish.ATest", "org.mockitos.ATest"),
                accepted(
                        names,
                        "a.ATest",
                        "a.ATest$Inner",
                        "a.ATest$1",
                        "junitparams.ATest",
                        "kotlinish.ATest",
                        "org.mockitos.ATest",
                        "org.junit.ATest",
                        "junit.framework.TestCase",
                        "org.hamcrest.A",
                        "org.mockito.internal.A",
                        "org.jacoco.A",
                        "net.bytebuddy.A",
                        "androidx.test.runner.suites.AndroidClasspathSuite",
                        "kotlin.test.A",
                        "androidx.test.A"));
    }

    @Test
    public void searchesNamedPackage() {
        assertTrue(RunnerScan.names(Collections.singletonList("org.mockito")).test("org.mockito.ATest"));
        assertFalse(
                "as the runner: the very name",
                RunnerScan.names(Collections.singletonList("org.mockito.a")).test("org.mockito.a.T"));
        assertTrue(RunnerScan.names(Collections.singletonList("kotlinx.a")).test("kotlinx.a.ATest"));
    }

    @Test
    public void recognisesTestsLikeRunnerBuilders() {
        for (Class<?> one : Arrays.<Class<?>>asList(
                Cases.class,
                OldSuite.class,
                NewSuite.class,
                Ignored.class,
                Fixtures.Derived.class,
                Fixtures.Two.class)) {
            assertTrue(one.getName(), RunnerScan.isTest(one));
        }
        for (Class<?> one :
                Arrays.<Class<?>>asList(NoCases.class, Fixtures.Base.class, Fixtures.NoTest.class, Runnable.class)) {
            assertFalse(one.getName(), RunnerScan.isTest(one));
        }
    }

    /** Has the name of AndroidX Test's annotation. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface SdkSuppress {
        int minSdkVersion() default 1;

        int maxSdkVersion() default Integer.MAX_VALUE;
    }

    @Test
    public void excludesTestsForOtherApiLevels() throws Exception {
        assertTrue(runs(33, null));
        assertTrue(runs(33, "upTo33"));
        assertFalse(runs(33, "from34"));
        assertTrue(runs(34, "from34"));
        assertFalse(runs(34, "upTo33"));
    }

    private static boolean runs(int sdk, String limits) throws Exception {
        RunnerExclusions filter = new RunnerExclusions(
                sdk, Collections.<String>emptyList(), Collections.singletonList(SdkSuppress.class.getName()));
        return filter.keeps(
                limits == null
                        ? Description.createTestDescription(Fixtures.class, "any")
                        : Description.createTestDescription(
                                Fixtures.class,
                                "any",
                                RunnerScanTest.class.getDeclaredMethod(limits).getAnnotations()));
    }

    @SdkSuppress(minSdkVersion = 34)
    void from34() {}

    @SdkSuppress(maxSdkVersion = 33)
    void upTo33() {}
}
