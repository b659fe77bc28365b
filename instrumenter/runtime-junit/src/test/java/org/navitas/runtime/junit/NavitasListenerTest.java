package org.navitas.runtime.junit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.FixMethodOrder;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.JUnitCore;
import org.junit.runner.RunWith;
import org.junit.runners.MethodSorters;
import org.junit.runners.Parameterized;
import org.navitas.runtime.ChunkReader;
import org.navitas.runtime.Recorder;

public class NavitasListenerTest {
    @FixMethodOrder(MethodSorters.NAME_ASCENDING)
    public static class Mixed {
        @Test
        public void a() {}

        @Test
        public void b() {
            throw new IllegalStateException();
        }

        @Ignore
        @Test
        public void c() {}

        @Test
        public void d() {
            Assume.assumeTrue(false);
        }
    }

    @RunWith(Parameterized.class)
    public static class Two {
        @Parameterized.Parameters
        public static List<Object[]> values() {
            return Arrays.asList(new Object[] {1}, new Object[] {2});
        }

        public Two(int value) {
            assertTrue(value > 0);
        }

        @Test
        public void m() {}
    }

    public static class Broken {
        @BeforeClass
        public static void fail() {
            throw new IllegalStateException();
        }

        @Test
        public void never() {}
    }

    private static List<String> marks(Class<?>... tests) throws Exception {
        int before = all().size();
        JUnitCore core = new JUnitCore();
        core.addListener(new NavitasListener());
        core.run(tests);
        List<String> marks = new ArrayList<>();
        for (ChunkReader.Marker marker : all().subList(before, all().size())) {
            marks.add(marker.toString().replace(NavitasListenerTest.class.getName() + "$", ""));
        }
        return marks;
    }

    /** Returns the markers of this process's event file. */
    private static List<ChunkReader.Marker> all() throws Exception {
        Recorder.flush();
        String process = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        File file = new File(System.getProperty("navitas.out"), "events-" + process + ".nvch");
        return ChunkReader.markers(Files.readAllBytes(file.toPath()));
    }

    @Test
    public void marksEveryStatus() throws Exception {
        assertEquals(
                Arrays.asList(
                        "0 0 ",
                        "1 0 Mixed#a",
                        "2 0 Mixed#a",
                        "1 0 Mixed#b",
                        "2 1 Mixed#b",
                        "1 0 Mixed#c",
                        "2 2 Mixed#c",
                        "1 0 Mixed#d",
                        "2 3 Mixed#d",
                        "3 1 "),
                marks(Mixed.class));
    }

    @Test
    public void keepsIndexOfParameters() throws Exception {
        assertEquals(
                Arrays.asList("0 0 ", "1 0 Two#m[0]", "2 0 Two#m[0]", "1 0 Two#m[1]", "2 0 Two#m[1]", "3 0 "),
                marks(Two.class));
    }

    @Test
    public void failedClassIsTestWithoutMethod() throws Exception {
        assertEquals(Arrays.asList("0 0 ", "1 0 Broken#null", "2 1 Broken#null", "3 1 "), marks(Broken.class));
    }
}
