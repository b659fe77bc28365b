package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import android.app.ActivityThread;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Power monitors of a system whose classes have Android's names of methods. */
public class PowerMonitorsTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final PrintStream err = System.err;
    private final Health health = new Health();

    public static final class Monitor {
        private final int type;
        private final String name;

        Monitor(int type, String name) {
            this.type = type;
            this.name = name;
        }

        public int getType() {
            return type;
        }

        public String getName() {
            return name;
        }
    }

    public static final class Readings {
        private final long time;

        Readings(long time) {
            this.time = time;
        }

        public long getConsumedEnergy(Monitor monitor) {
            return monitor.type == 1 ? 1_000 * time : -1;
        }

        public long getTimestampMillis(Monitor monitor) {
            return time;
        }
    }

    public interface Outcome {
        void onResult(Readings readings);

        void onError(Throwable error);
    }

    public static final class Health {
        List<Monitor> monitors = Arrays.asList(new Monitor(1, "[VSYS_PWR_MODEM]:Modem"), new Monitor(0, "WIFI\n1 2"));
        final List<Outcome> requests = new ArrayList<>();
        RuntimeException refusal;

        public void getSupportedPowerMonitors(Executor executor, Consumer<List<Monitor>> onResult) {
            if (refusal != null) {
                throw refusal;
            }
            executor.execute(() -> onResult.accept(monitors));
        }

        /** A hidden method of the same name. */
        public Monitor[] getSupportedPowerMonitors() {
            throw new AssertionError("hidden");
        }

        public void getPowerMonitorReadings(List<Monitor> wanted, Executor executor, Outcome outcome) {
            assertEquals(monitors, wanted);
            assertTrue(outcome.equals(outcome) && outcome.hashCode() != 0 && outcome.toString() != null);
            requests.add(outcome);
        }
    }

    public static final class App {
        private final Object health;

        App(Object health) {
            this.health = health;
        }

        public Object getSystemService(String name) {
            return name.equals("systemhealth") ? health : null;
        }

        public int checkSelfPermission(String name) {
            return name.equals("android.permission.ACCESS_FINE_POWER_MONITORS") ? 0 : -1;
        }
    }

    @Before
    public void listen() {
        System.setErr(new PrintStream(said, true));
    }

    @After
    public void restore() {
        ActivityThread.application = null;
        System.setErr(err);
    }

    private static String read(PowerMonitorSource source) {
        Bytes into = new Bytes();
        source.read(into);
        return new String(into.array(), 0, into.size(), StandardCharsets.UTF_8);
    }

    /** Reads until the source has sent this many requests. */
    private String readUntil(PowerMonitorSource source, int requests) throws InterruptedException {
        StringBuilder all = new StringBuilder();
        long end = System.nanoTime() + 60_000_000_000L;
        while (health.requests.size() < requests) {
            assertTrue("no request", System.nanoTime() - end < 0);
            all.append(read(source));
            Thread.sleep(5);
        }
        return all.toString();
    }

    @Test
    public void recordsEachReadingOnce() throws InterruptedException {
        PowerMonitorSource source = new PowerMonitorSource(7);
        assertEquals("no app yet", "", read(source));
        ActivityThread.application = new App(health);
        assertEquals("", readUntil(source, 1));
        health.requests.get(0).onResult(new Readings(5_000));
        assertEquals("1 5000 5000000 [VSYS_PWR_MODEM]:Modem\n0 5000 -1 WIFI_1 2\n", read(source));
        assertEquals("recorded already", "", readUntil(source, 2));
        health.requests.get(1).onResult(new Readings(5_000));
        assertEquals("the same times", "", readUntil(source, 3));
        health.requests.get(2).onResult(new Readings(5_300));
        assertTrue(read(source).startsWith("1 5300 5300000 "));
        assertEquals("", said.toString());
    }

    @Test
    public void waitsForOneRequestAtATime() throws InterruptedException {
        ActivityThread.application = new App(health);
        PowerMonitorSource source = new PowerMonitorSource(7);
        readUntil(source, 1);
        Thread.sleep(300);
        read(source);
        assertEquals(1, health.requests.size());
    }

    @Test
    public void asksOnceMoreAtTheEndAndDoesNotWaitLong() throws InterruptedException {
        ActivityThread.application = new App(health);
        PowerMonitorSource source = new PowerMonitorSource(7);
        source.finish();
        assertEquals("nothing is known yet", 0, health.requests.size());
        readUntil(source, 1);
        health.requests.get(0).onResult(new Readings(10));
        source.finish();
        assertEquals("without an answer", 2, health.requests.size());
        health.requests.get(1).onResult(new Readings(20));
        assertTrue(read(source).startsWith("1 20 20000 "));
    }

    @Test
    public void aFailureIsSaidOnceAndEndsTheRequests() throws InterruptedException {
        ActivityThread.application = new App(health);
        PowerMonitorSource source = new PowerMonitorSource(7);
        for (int i = 1; i <= 5; i++) {
            readUntil(source, i);
            health.requests.get(i - 1).onError(new IllegalArgumentException("Unsupported power monitor"));
        }
        String note = "navitas: [counter_unreadable] cannot read power_monitors: ";
        assertEquals(note + "java.lang.IllegalArgumentException: Unsupported power monitor\n", said.toString());
        Thread.sleep(300);
        read(source);
        assertEquals(5, health.requests.size());
    }

    @Test
    public void aRefusalIsSaid() {
        health.refusal = new SecurityException("no");
        ActivityThread.application = new App(health);
        read(new PowerMonitorSource(7));
        assertEquals(
                "navitas: [counter_unreadable] cannot read power_monitors: java.lang.SecurityException: no\n",
                said.toString());
    }

    @Test
    public void systemsWithoutMonitorsAreSilent() throws InterruptedException {
        health.monitors = Collections.emptyList();
        for (Object service : new Object[] {health, new Object(), null}) {
            ActivityThread.application = new App(service);
            PowerMonitorSource source = new PowerMonitorSource(7);
            for (int i = 0; i < 3; i++) {
                assertEquals("", read(source));
                Thread.sleep(110);
            }
            source.finish();
        }
        ActivityThread.application = new Object();
        assertEquals("", read(new PowerMonitorSource(7)));
        assertEquals("", said.toString());
        assertEquals(0, health.requests.size());
    }

    @Test
    public void namesAreShortAndOnOneLine() {
        assertEquals("a_b_c", PowerMonitorSource.plain("a\nb\u2028c"));
        assertEquals(
                64,
                PowerMonitorSource.plain(String.join("", Collections.nCopies(100, "x")))
                        .length());
        assertEquals("null", PowerMonitorSource.plain(null));
    }
}
