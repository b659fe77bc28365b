package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import android.app.Application;
import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import androidx.bench.QuietContext;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.navitas.hooks.intents.Communications.Record;
import org.navitas.runtime.Recorder;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;

/**
 * Prints what a whole hook costs its thread, in turns with the same calls without hooks: classes of the framework, with
 * calls of the system that do nothing. tests/bench/bench_communications.py runs it with more rounds. The JVM needs seconds
 * to compile Robolectric's calls, so few rounds show only that it works.
 */
@RunWith(AndroidRunner.class)
@Config(sdk = 33, manifest = Config.NONE)
public class HookCostTest {
    private static final int CALLS = 512;
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private final Application app = RuntimeEnvironment.getApplication();
    private final int rounds = Integer.getInteger("navitas.cost.rounds", 3);

    @Test
    public void costsArePrinted() throws Exception {
        Communications.next();
        Context quiet = new QuietContext(app);
        Intent explicit = new Intent(app, ModulesOfTestedApp.Worker.class)
                .setAction("a.SYNC")
                .putExtra("a", 1)
                .putExtra("b", "text");
        Intent own = new Intent("a.PING")
                .setPackage(app.getPackageName())
                .putExtra("a", 1)
                .putExtra("b", "text");
        Intent plain = new Intent(app, ModulesOfTestedApp.Worker.class).setAction("a.SYNC");
        ModulesOfTestedApp.Receiver receiver = new ModulesOfTestedApp.Receiver();
        Intent[] arriving = new Intent[1];
        for (boolean isWarm : new boolean[] {false, true}) { // the first time, the JVM compiles what all hooks call
            cost(
                    isWarm,
                    "startService",
                    () -> ServiceCalls.startService(quiet, explicit),
                    () -> quiet.startService(explicit));
            cost(
                    isWarm,
                    "startService, no extras",
                    () -> ServiceCalls.startService(quiet, plain),
                    () -> quiet.startService(plain));
            cost(isWarm, "sendBroadcast", () -> Broadcasts.sendBroadcast(quiet, own), () -> quiet.sendBroadcast(own));
            cost(
                    isWarm,
                    "getService",
                    () -> PendingIntents.by(PendingIntents.SERVICE, quiet, 1, explicit, PendingIntent.FLAG_IMMUTABLE),
                    () -> {});
            cost(
                    isWarm,
                    "onReceive",
                    () -> receiver.onReceive(quiet, arriving[0] = Tokens.put(own, 7)),
                    () -> arriving[0] = Tokens.put(own, 7));
        }
        List<Record> records = Communications.next();
        assertEquals(2 * rounds * CALLS * 2, Communications.of(records, 3).size());
        assertEquals(2 * rounds * CALLS, Communications.of(records, 36).size());
        assertTrue(records.stream().allMatch(record -> record.token != 0));
    }

    private void cost(boolean isWarm, String name, Runnable hooked, Runnable unhooked) throws Exception {
        long[] costs = new long[rounds];
        for (int round = 0; round < rounds; round++) {
            long begin = CLOCK.getCurrentThreadCpuTime();
            for (int i = 0; i < CALLS; i++) {
                unhooked.run();
            }
            long between = CLOCK.getCurrentThreadCpuTime();
            for (int i = 0; i < CALLS; i++) {
                hooked.run();
            }
            costs[round] = (CLOCK.getCurrentThreadCpuTime() - between - (between - begin)) / CALLS;
            Recorder.flush(); // else the writer can lag behind, and records get lost at no cost
        }
        long[] last = Arrays.copyOfRange(costs, rounds / 2, rounds); // when the JVM has compiled them
        Arrays.sort(last);
        if (isWarm) {
            System.out.println("cost of " + name + ": " + last[last.length / 2] + " ns");
        }
    }
}
