package org.navitas.accuracy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** Workloads for scoring the estimate, never for tuning it. Each runs for about four seconds. */
public class ScoreTest {
    @Test
    public void sorts() {
        Random random = new Random(7);
        for (int round = 0; round < 40; round++) {
            int[] numbers = random.ints(700_000).toArray();
            Arrays.sort(numbers);
            Work.sink += numbers[numbers.length / 2];
        }
    }

    @Test
    public void frames() throws InterruptedException {
        long next = System.nanoTime();
        for (int frame = 0; frame < 240; frame++) {
            Work.burn(4 + frame % 5);
            next += 16_666_667;
            long left = next - System.nanoTime();
            if (left > 0) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
        }
    }

    @Test
    public void bursts() throws InterruptedException {
        Random random = new Random(11);
        for (int burst = 0; burst < 30; burst++) {
            Work.burn(5 + random.nextInt(90));
            Work.pause(20 + random.nextInt(110));
        }
    }

    @Test
    public void garbage() {
        List<byte[]> kept = new ArrayList<>();
        long end = System.nanoTime() + 4_000_000_000L;
        for (int i = 0; System.nanoTime() < end; i++) {
            byte[] piece = new byte[1_000 + i % 10_000];
            if (i % 64 == 0) {
                kept.add(piece);
            }
            if (kept.size() > 20_000) {
                kept.clear();
            }
        }
    }

    @Test
    public void pool() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        for (int task = 0; task < 400; task++) {
            int cpuMillis = 2 + task % 20;
            pool.execute(() -> Work.burn(cpuMillis));
        }
        pool.shutdown();
        pool.awaitTermination(30, TimeUnit.SECONDS);
    }

    @Test
    public void contention() throws InterruptedException {
        Object lock = new Object();
        Runnable part = () -> {
            for (int i = 0; i < 250; i++) {
                synchronized (lock) {
                    Work.burn(4);
                }
                Work.burn(1);
            }
        };
        Work.together(part, part, part);
    }

    @Test
    public void mostlySleeps() throws InterruptedException {
        for (int i = 0; i < 80; i++) {
            Work.burn(3);
            Work.pause(47);
        }
    }

    @Test
    public void mixedLoad() throws InterruptedException {
        Work.together(
            () -> Work.burn(2_500),
            () -> {
                for (int i = 0; i < 60; i++) {
                    Work.burn(6);
                    try {
                        Work.pause(40);
                    } catch (InterruptedException stopped) {
                        return;
                    }
                }
            });
    }
}
