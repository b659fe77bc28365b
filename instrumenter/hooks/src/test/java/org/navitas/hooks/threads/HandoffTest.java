package org.navitas.hooks.threads;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import kotlinx.coroutines.GlobalScope;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.hooks.Instrumented;
import org.navitas.hooks.Recorded;
import scenario.CoroutineUse;

/** Work on other threads carries where it was handed over, and executors behave as without hooks. */
public class HandoffTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private static ThreadPoolExecutor pool() {
        return new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    @Test
    public void workOfExecutorsHasItsOrigin() throws Exception {
        ThreadPoolExecutor pool = pool();
        ScheduledExecutorService scheduled = java.util.concurrent.Executors.newScheduledThreadPool(1);
        Recorded<String> recorded = Recorded.of(() -> {
            CountDownLatch done = new CountDownLatch(1);
            Executors.execute(pool, done::countDown);
            done.await();
            String result = (String)
                    Executors.submit(pool, (Callable<String>) () -> "called").get();
            Executors.submit(pool, () -> {}).get();
            return result
                    + Executors.submit(pool, () -> {}, "given").get()
                    + Executors.schedule(scheduled, () -> {}, 1, TimeUnit.MILLISECONDS)
                            .get();
        });
        pool.shutdown();
        scheduled.shutdown();
        assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS) && scheduled.awaitTermination(10, TimeUnit.SECONDS));
        assertEquals("calledgivennull", recorded.result);
        assertEquals(5, recorded.handed().size());
        for (long[] record : recorded.handed()) {
            assertTrue(Arrays.toString(record), record[3] <= record[0] && record[0] <= record[1]);
        }
    }

    @Test
    public void threadHasItsOrigin() throws Exception {
        Recorded<Boolean> recorded = Recorded.of(() -> {
            boolean[] ran = {false};
            Thread thread = new HandedThread(() -> ran[0] = true, "handed");
            thread.start();
            thread.join();
            return ran[0];
        });
        assertTrue(recorded.result);
        assertEquals(1, recorded.handed().size());
    }

    @Test
    public void queuedWorkCanBeRemoved() throws Exception {
        ThreadPoolExecutor pool = pool();
        CountDownLatch blocked = new CountDownLatch(1);
        boolean[] ran = {false};
        Runnable task = () -> ran[0] = true;
        Executors.execute(pool, () -> {
            try {
                blocked.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Executors.execute(pool, task);
        assertTrue(Executors.remove(pool, task));
        assertFalse(Executors.remove(pool, task));
        blocked.countDown();
        pool.shutdown();
        assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS));
        assertFalse(ran[0]);
    }

    @Test
    public void workThatTheAppCouldSeeIsItself() {
        Object[] seen = {null};
        Runnable task = () -> {};
        Executors.execute(command -> seen[0] = command, task);
        assertEquals(task, seen[0]);
        ThreadPoolExecutor rejecting = pool();
        rejecting.setRejectedExecutionHandler((command, executor) -> seen[0] = command);
        rejecting.shutdown();
        Runnable rejected = () -> {};
        Executors.execute(rejecting, rejected);
        assertEquals(rejected, seen[0]);
        ThreadPoolExecutor ordered = new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new PriorityBlockingQueue<>());
        class Ordered implements Runnable, Comparable<Ordered> {
            @Override
            public void run() {}

            @Override
            public int compareTo(Ordered other) {
                return 0;
            }
        }
        for (int i = 0; i < 5; i++) {
            Executors.execute(ordered, new Ordered());
        }
        ordered.shutdown();
    }

    @Test(timeout = 60_000)
    @SuppressWarnings("unchecked")
    public void dispatchedCoroutineHasItsOrigin() throws Exception {
        Path jar = Paths.get(GlobalScope.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Object hooked =
                Instrumented.create(CoroutineUse.class, temporary.getRoot().toPath(), "kotlinx.coroutines.", jar);
        Recorded<Integer> recorded = Recorded.of(((Supplier<Integer>) hooked)::get);
        while (recorded.handed().size() < recorded.result) {
            Thread.sleep(1); // a dispatcher's own threads end their work after the coroutine's
        }
        assertEquals((int) recorded.result, recorded.handed().size());
    }

    @Test(expected = NullPointerException.class)
    public void nullIsRefusedAsBefore() {
        ThreadPoolExecutor pool = pool();
        try {
            Executors.execute(pool, null);
        } finally {
            pool.shutdown();
        }
    }
}
