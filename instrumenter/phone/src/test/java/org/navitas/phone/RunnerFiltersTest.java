package org.navitas.phone;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.TreeSet;
import org.junit.Test;
import org.junit.runner.Description;

public class RunnerFiltersTest {
    @Retention(RetentionPolicy.RUNTIME)
    @interface SmallTest {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface LargeTest {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface Slow {}

    @LargeTest
    public static class Sizes {
        @Test
        public void plain() {}

        @Test
        @SmallTest
        @Slow
        public void small() {}
    }

    public static class Others {
        @Test
        public void one() {}

        @Test
        public void two() {}
    }

    private static final String HERE = RunnerFiltersTest.class.getName() + "$";

    /** Returns the names of the selected tests of both classes. */
    private static String kept(String... arguments) throws Exception {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "class";
        all[arguments.length + 1] = HERE + "Sizes," + HERE + "Others";
        TreeSet<String> names = new TreeSet<>();
        ClassLoader loader = RunnerFiltersTest.class.getClassLoader();
        collect(new JUnit4Selection(new Arguments(all), "", loader).runner().getDescription(), names);
        return String.join(" ", names);
    }

    private static void collect(Description description, TreeSet<String> into) {
        if (description.isTest() && description.getMethodName() != null) {
            into.add(description.getMethodName());
        }
        description.getChildren().forEach(child -> collect(child, into));
    }

    @Test
    public void filtersLikeAndroidJUnitRunner() throws Exception {
        assertEquals("one plain small two", kept());
        assertEquals("small", kept("annotation", HERE + "Slow"));
        assertEquals("plain small", kept("annotation", HERE + "LargeTest"));
        assertEquals("one plain two", kept("notAnnotation", HERE + "Slow"));
        assertEquals("one two", kept("notAnnotation", HERE + "Slow," + HERE + "LargeTest"));
        assertEquals("small", kept("size", "small"));
        assertEquals("plain", kept("size", "large"));
        assertEquals("one two", kept("tests_regex", "Others#(one|two)$"));
        assertEquals("", kept("notPackage", "org.navitas"));
        assertEquals("one plain small two", kept("notPackage", "org.navitas.other"));
    }

    @Test
    public void shardsCoverAllTests() throws Exception {
        TreeSet<String> all = new TreeSet<>();
        int count = 0;
        for (int i = 0; i < 3; i++) {
            String shard = kept("numShards", "3", "shardIndex", Integer.toString(i));
            for (String name : shard.isEmpty() ? new String[0] : shard.split(" ")) {
                all.add(name);
                count++;
            }
        }
        assertEquals(new TreeSet<>(Arrays.asList("one", "plain", "small", "two")), all);
        assertEquals(4, count);
    }

    @Test
    public void reportsInvalidValues() {
        assertThrows(IllegalArgumentException.class, () -> kept("size", "huge"));
        assertThrows(IllegalArgumentException.class, () -> kept("numShards", "x"));
    }
}
