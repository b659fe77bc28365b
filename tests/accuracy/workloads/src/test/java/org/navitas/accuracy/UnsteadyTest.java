package org.navitas.accuracy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.Test;

/** Tests whose energy depends on other processes of the host, or on files of an earlier run. */
public class UnsteadyTest {
    private static volatile boolean done;
    private static final File CACHE = new File("cache.bin");

    /** Polls for a fixed time: the more CPU time it gets, the more often it polls. */
    @Test
    public void polls() {
        long end = System.nanoTime() + 1_500_000_000L;
        long answer = 0;
        while (!done && System.nanoTime() < end) {
            answer += ask(answer);
        }
        Work.sink = answer;
    }

    /** A fixed amount of work. */
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

    /** Sleeps, with little work. */
    @Test
    public void sleeps() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            Work.pause(10);
            Work.burn(1);
        }
    }

    /** Writes a cache in the first run of a recording; later runs read it. */
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
