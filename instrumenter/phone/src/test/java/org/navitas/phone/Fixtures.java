package org.navitas.phone;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.List;
import junit.framework.TestCase;
import org.junit.Assert;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.FixMethodOrder;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.notification.RunListener;
import org.junit.runners.MethodSorters;
import org.junit.runners.Parameterized;

/** Tests for the instrumentation's tests to run. */
public final class Fixtures {
    private Fixtures() {}

    @FixMethodOrder(MethodSorters.NAME_ASCENDING)
    public static class Mixed {
        @Test
        public void passes() {
            System.out.println("printed by a test");
        }

        @Test
        public void fails() {
            Assert.fail("expected\nby two lines");
        }

        @Ignore
        @Test
        public void ignored() {}

        @Test
        public void assumes() {
            Assume.assumeTrue(false);
        }
    }

    public abstract static class Base {
        @Test
        public void inherited() {}
    }

    public static class Derived extends Base {}

    public static class Old extends TestCase {
        public void testOld() {
            assertEquals(1, 1);
        }
    }

    public static class NoTest {
        public void nothing() {}
    }

    public static class Broken {
        @BeforeClass
        public static void fail() {
            throw new IllegalStateException("before");
        }

        @Test
        public void never() {}
    }

    @RunWith(Parameterized.class)
    public static class Two {
        @Parameterized.Parameters
        public static List<Object[]> values() {
            return Arrays.asList(new Object[] {1}, new Object[] {2});
        }

        public Two(int value) {
            assertEquals(value, value);
        }

        @Test
        public void m() {}

        @Test
        public void n() {}
    }

    @RunWith(Enclosed.class)
    public static class Outer {
        public static class Inner {
            @Test
            public void inside() {}
        }
    }

    /** Classes that Gradle's scanner excludes, and classes that it includes although JUnit refuses them. */
    public static class Scanned {
        @Test
        public void a() {
            class Local {
                @Test
                public void inLocal() {}
            }
            assertEquals(Scanned.class, new Scanned() {}.getClass().getSuperclass());
            assertEquals("Local", new Local().getClass().getSimpleName());
        }

        public class Inner {
            @Test
            public void inInner() {}
        }

        public abstract static class AbstractNested {
            @Test
            public void inAbstract() {}
        }

        public interface OfInterface {
            @Test
            default void inInterface() {}
        }

        public static class Implements implements OfInterface {}

        static class NotPublic {
            @Test
            public void inNotPublic() {}
        }

        public static class NotPublicMethod {
            @Test
            void notPublic() {}
        }

        public static class WithoutTests extends TestCase {}
    }

    /** Counts the tests reported to it. */
    public static class Counting extends RunListener {
        static int started;

        @Override
        public void testStarted(Description description) {
            started++;
        }
    }
}
