package org.navitas.android;

import android.os.OutcomeReceiver;
import android.os.PowerMonitor;
import android.os.PowerMonitorReadings;
import android.os.health.SystemHealthManager;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.navitas.phone.PhoneRequest;

/**
 * Power monitors, which Android 13's framework lacks. Since its SystemHealthManager has no such methods, code finds
 * them here by reflection only. Answers come from a thread of their own, as from a binder thread.
 */
public final class PhoneHealthManager extends SystemHealthManager {
    private static final ExecutorService BINDER = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "binder:power");
        thread.setDaemon(true);
        return thread;
    });
    private static final Map<String, PowerMonitor> MONITORS = new LinkedHashMap<>();

    PhoneHealthManager() {
        super(null);
    }

    /**
     * Passes the phone's monitors to a consumer. Without an answer of the phone, the consumer is not called, since an
     * empty list says that there are no monitors; ask again.
     *
     * @param executor runs the consumer, or null
     * @param onResult receives the monitors
     */
    public void getSupportedPowerMonitors(Executor executor, Consumer<List<PowerMonitor>> onResult) {
        BINDER.execute(() -> {
            try {
                List<PowerMonitor> found = List.copyOf(readings().keySet());
                deliver(executor, () -> onResult.accept(found));
            } catch (IOException e) {
                // The app asks again.
            }
        });
    }

    /**
     * Passes readings to a receiver.
     *
     * @param monitors the monitors to read
     * @param executor runs the receiver, or null
     * @param onResult receives the readings
     */
    public void getPowerMonitorReadings(
            List<PowerMonitor> monitors,
            Executor executor,
            OutcomeReceiver<PowerMonitorReadings, RuntimeException> onResult) {
        BINDER.execute(() -> {
            try {
                Map<PowerMonitor, long[]> all = readings();
                if (!all.keySet().containsAll(monitors)) {
                    deliver(
                            executor,
                            () -> onResult.onError(new IllegalArgumentException("Unsupported power monitor")));
                    return;
                }
                Map<PowerMonitor, long[]> wanted = new HashMap<>();
                monitors.forEach(one -> wanted.put(one, all.get(one)));
                deliver(executor, () -> onResult.onResult(new PowerMonitorReadings(wanted)));
            } catch (IOException e) {
                deliver(executor, () -> onResult.onError(new IllegalStateException(e.getMessage())));
            }
        });
    }

    private static void deliver(Executor executor, Runnable result) {
        if (executor == null) {
            result.run();
        } else {
            executor.execute(result);
        }
    }

    /** For the binder thread only. */
    private static Map<PowerMonitor, long[]> readings() throws IOException {
        return PhoneRequest.ask("powermonitors").stream()
                .map(line -> line.split(" ", 4))
                .collect(Collectors.toMap(
                        fields -> MONITORS.computeIfAbsent(fields[0] + fields[3], any -> monitor(fields)),
                        fields -> new long[] {Long.parseLong(fields[1]), Long.parseLong(fields[2])},
                        (one, other) -> one,
                        LinkedHashMap::new));
    }

    private static PowerMonitor monitor(String[] fields) {
        return new PowerMonitor(Integer.parseInt(fields[0]), fields[3]);
    }
}
