package org.navitas.accuracy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.Test;

/** Tests whose energy depends on what else runs on the host, or on what an earlier run has left. */
public class UnsteadyTest {
    private static volatile boolean done;
    private static final File CACHE = new File("cache.bin");

    /** Asks again and again for a fixed time: the more CPU it gets, the more often it asks. */
    @Test
    public void polls() {
        long end = System.nanoTime() + 1_500_000_000L;
        long answer = 0;
        while (!done && System.nanoTime() < end) {
            answer += ask(answer);
        }
        Work.sink = answer;
    }

    /** The same work each time, however long it takes. */
    @Test
    public void works() {
        long x = 1;
        for (int i = 0; i < 3_000; i++) {
            x = step(x);
        }
        Work.sink = x;
    }

    /** More threads than most hosts have CPUs: they wait for each other. */
    @Test
    public void crowds() throws InterruptedException {
        Runnable part = () -> Work.burn(400);
        Work.together(part, part, part, part);
    }

    /** Sleeps and hardly works. */
    @Test
    public void sleeps() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            Work.pause(10);
            Work.burn(1);
        }
    }

    /** Makes a cache in the first run of a recording; later runs find it. */
    @Test
    public void caches() throws IOException {
        load();
    }

    private static long ask(long seed) {
        long x = seed;
        for (int i = 0; i < 2_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x == 0 ? 2 : 1;
    }

    private static long step(long from) {
        long x = from;
        for (int i = 0; i < 200_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    private static void load() throws IOException {
        if (!CACHE.exists()) {
            Work.burn(600);
            Files.write(CACHE.toPath(), new byte[1]);
        }
        Work.burn(150);
    }
}
