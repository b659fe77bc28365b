package org.navitas.android;

import android.os.PowerManager;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.navitas.phone.PhoneState;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPowerManager;

/** The screen, battery saver, exemptions from Doze and thermal status of the phone, which never dozes. */
@Implements(className = "android.os.PowerManager")
public class PowerManagerShadow extends ShadowPowerManager {
    private static final Map<PowerManager.OnThermalStatusChangedListener, Executor> LISTENERS =
            new ConcurrentHashMap<>();

    @Implementation
    @Override
    protected boolean isInteractive() {
        return PhoneState.isOn("interactive");
    }

    @Implementation
    @Override
    protected boolean isScreenOn() {
        return isInteractive();
    }

    @Implementation
    @Override
    protected boolean isPowerSaveMode() {
        return PhoneState.isOn("power_save");
    }

    @Implementation
    @Override
    protected boolean isIgnoringBatteryOptimizations(String name) {
        String exempt = PhoneState.get("idle_exempt");
        return exempt != null && Arrays.asList(exempt.split(" ")).contains(name);
    }

    @Implementation
    @Override
    protected int getCurrentThermalStatus() {
        return thermalStatus();
    }

    @Implementation
    protected void addThermalStatusListener(PowerManager.OnThermalStatusChangedListener listener) {
        addThermalStatusListener(RuntimeEnvironment.getApplication().getMainExecutor(), listener);
    }

    @Implementation
    protected void addThermalStatusListener(Executor executor, PowerManager.OnThermalStatusChangedListener listener) {
        if (LISTENERS.putIfAbsent(listener, executor) != null) {
            throw new IllegalArgumentException("Listener already registered: " + listener);
        }
        call(listener, executor);
    }

    @Implementation
    protected void removeThermalStatusListener(PowerManager.OnThermalStatusChangedListener listener) {
        if (LISTENERS.remove(listener) == null) {
            throw new IllegalArgumentException("Listener was not added");
        }
    }

    /** Calls listeners after a change of the phone's thermal status. */
    static void thermalStatusChanged() {
        LISTENERS.forEach(PowerManagerShadow::call);
    }

    private static void call(PowerManager.OnThermalStatusChangedListener listener, Executor executor) {
        int status = thermalStatus();
        executor.execute(() -> listener.onThermalStatusChanged(status));
    }

    private static int thermalStatus() {
        String status = PhoneState.get("thermal");
        return status == null ? 0 : Integer.parseInt(status);
    }
}
