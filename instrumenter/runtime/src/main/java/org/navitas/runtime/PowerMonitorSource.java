package org.navitas.runtime;

import java.io.File;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * Android's power monitors (SystemHealthManager, Android 15 and later): one line {@code type timestamp_ms energy_uws
 * name} for each. Type 0 is an energy consumer, 1 a rail. Times are milliseconds of CLOCK_BOOTTIME; an energy of -1 is
 * unavailable.
 *
 * <p>Requests are asynchronous, so no thread waits for the system, except for a moment at the end. A reading is recorded
 * once, when its times are new. On systems without power monitors, nothing is recorded. Uses reflection: the classes are
 * newer than those that this is compiled against.
 */
final class PowerMonitorSource extends FileSource implements Executor, InvocationHandler {
    private static final String FINE = "android.permission.ACCESS_FINE_POWER_MONITORS";

    private Object health;
    private Method supported;
    private Method readings;
    private long intervalNs = Limits.MONITORS_NS;
    private long dueNs;
    private long requestNs;
    private int failed;
    private boolean isNoted;
    /** Whether there is nothing to read, now and later. */
    private volatile boolean isAbsent;

    private volatile boolean isWaiting;
    private volatile List<?> monitors;
    private long[] lastTimes = {};
    private byte[] newest;

    PowerMonitorSource(int id) {
        super(id, new File(Format.POWER_MONITORS));
        dueNs = System.nanoTime();
    }

    @Override
    void read(Bytes into) {
        byte[] reading = take();
        if (reading != null) {
            into.bytes(reading, 0, reading.length);
        }
        long now = System.nanoTime();
        if (!isAbsent && now - dueNs >= 0) {
            dueNs = now + (monitors == null ? Limits.LAST_MONITORS_NS : intervalNs);
            ask(now);
        }
    }

    /** Requests a last reading, and waits a moment for it. */
    @Override
    void finish() {
        if (monitors == null || isAbsent) {
            return;
        }
        long end = System.nanoTime() + Limits.LAST_MONITORS_NS;
        ask(System.nanoTime());
        while (isWaiting && end - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, Limits.LAST_MONITORS_NS / 100);
        }
    }

    private synchronized byte[] take() {
        byte[] reading = newest;
        newest = null;
        return reading;
    }

    /** Requests the list of monitors first, then readings, unless a request has no answer yet. */
    private void ask(long now) {
        if (isWaiting && now - requestNs < Limits.ANSWER_NS) {
            return;
        }
        requestNs = now;
        isWaiting = true;
        try {
            if (health == null && !connect()) {
                isWaiting = false;
            } else if (monitors == null) {
                supported.invoke(health, this, receiver(supported));
            } else {
                readings.invoke(health, monitors, this, receiver(readings));
            }
        } catch (Exception | LinkageError e) {
            fail(e);
        }
    }

    /** Finds the service. Returns false if the app is not created yet, or the system has none. */
    private boolean connect() {
        try {
            Object app = Class.forName("android.app.ActivityThread")
                    .getMethod("currentApplication")
                    .invoke(null);
            if (app == null) {
                return false;
            }
            Object found =
                    app.getClass().getMethod("getSystemService", String.class).invoke(app, "systemhealth");
            for (Method each : found.getClass().getMethods()) {
                int parameters = each.getParameterTypes().length; // hidden methods have fewer
                if (each.getName().equals("getSupportedPowerMonitors") && parameters == 2) {
                    supported = each;
                } else if (each.getName().equals("getPowerMonitorReadings") && parameters == 3) {
                    readings = each;
                }
            }
            isAbsent = supported == null || readings == null;
            if (!isAbsent) {
                Object granted = app.getClass()
                        .getMethod("checkSelfPermission", String.class)
                        .invoke(app, FINE);
                intervalNs = Integer.valueOf(0).equals(granted) ? Limits.FINE_MONITORS_NS : Limits.MONITORS_NS;
                health = found;
            }
        } catch (Exception | LinkageError e) {
            isAbsent = true; // not Android, or without this service
        }
        return !isAbsent;
    }

    private Object receiver(Method request) {
        Class<?>[] types = request.getParameterTypes();
        Class<?> last = types[types.length - 1];
        ClassLoader own = getClass().getClassLoader();
        return Proxy.newProxyInstance(
                last.getClassLoader() == null ? own : last.getClassLoader(), new Class<?>[] {last}, this);
    }

    /** Runs an answer on the system's thread. */
    @Override
    public void execute(Runnable answer) {
        answer.run();
    }

    /** Takes an answer: of a {@code Consumer} or an {@code OutcomeReceiver}. Throws nothing. */
    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        String call = method.getName();
        try {
            if (call.equals("equals")) {
                return proxy == arguments[0];
            } else if (call.equals("hashCode")) {
                return System.identityHashCode(proxy);
            } else if (call.equals("toString")) {
                return path.getPath();
            } else if (call.equals("accept")) {
                List<?> all = (List<?>) arguments[0];
                monitors = all.subList(0, Math.min(all.size(), Limits.MOST_MONITORS));
                isAbsent = all.isEmpty();
            } else if (call.equals("onError")) {
                throw (Exception) arguments[0];
            } else {
                record(arguments[0], monitors);
                failed = 0;
            }
            isWaiting = false;
        } catch (Exception | LinkageError e) {
            fail(e);
        }
        return null;
    }

    private synchronized void record(Object answer, List<?> read) throws ReflectiveOperationException {
        Class<?> monitor = read.get(0).getClass();
        Method type = monitor.getMethod("getType");
        Method name = monitor.getMethod("getName");
        Method energy = answer.getClass().getMethod("getConsumedEnergy", monitor);
        Method timestamp = answer.getClass().getMethod("getTimestampMillis", monitor);
        long[] times = new long[read.size()];
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < times.length; i++) {
            Object one = read.get(i);
            times[i] = (Long) timestamp.invoke(answer, one);
            text.append(type.invoke(one)).append(' ').append(times[i]).append(' ');
            text.append(energy.invoke(answer, one))
                    .append(' ')
                    .append(plain(name.invoke(one)))
                    .append('\n');
        }
        if (!Arrays.equals(times, lastTimes)) {
            lastTimes = times;
            newest = text.toString().getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Returns a name as part of a line: without control characters, and not too long. */
    static String plain(Object name) {
        String plain = String.valueOf(name).replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]", "_");
        return plain.substring(0, Math.min(plain.length(), Limits.MONITOR_NAME));
    }

    /** Reports the first failure. After several in a row, the monitors are no longer read. */
    private synchronized void fail(Throwable error) {
        if (!isNoted) {
            isNoted = true;
            boolean isWrapped = error instanceof InvocationTargetException;
            Platform.note("counter_unreadable", "cannot read ", path + ": " + (isWrapped ? error.getCause() : error));
        }
        isAbsent = ++failed >= Limits.MOST_FAILURES;
        isWaiting = false;
    }
}
