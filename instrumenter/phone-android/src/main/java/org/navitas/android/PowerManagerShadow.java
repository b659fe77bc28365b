package org.navitas.android;

import java.util.Arrays;
import org.navitas.phone.PhoneState;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPowerManager;

/** The screen, battery saver, exemptions from Doze and thermal status of the phone, which never dozes. */
@Implements(className = "android.os.PowerManager")
public class PowerManagerShadow extends ShadowPowerManager {
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

    static int thermalStatus() {
        String status = PhoneState.get("thermal");
        return status == null ? 0 : Integer.parseInt(status);
    }
}
