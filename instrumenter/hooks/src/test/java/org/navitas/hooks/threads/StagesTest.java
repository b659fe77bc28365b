package org.navitas.hooks.threads;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.hooks.Instrumented;
import org.navitas.hooks.Recorded;
import scenario.FutureUse;

/** Stages of futures give what they give without hooks, and carry where they were made. */
public class StagesTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    @SuppressWarnings("unchecked")
    public void resultsAreTheSameAndWorkHasItsOrigin() throws Exception {
        ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(2);
        List<String> expected = new FutureUse().apply(pool);
        Object hooked = Instrumented.create(FutureUse.class, temporary.getRoot().toPath());
        Recorded<List<String>> recorded =
                Recorded.of(() -> ((Function<ExecutorService, List<String>>) hooked).apply(pool));
        pool.shutdown();
        assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS));
        assertEquals(expected, recorded.result);
        assertEquals(FutureUse.HANDED_OVER, recorded.handed().size());
        for (long[] record : recorded.handed()) {
            assertTrue(Arrays.toString(record), record[3] <= record[0] && record[0] <= record[1]);
        }
    }
}
