package org.navitas.android;

import android.os.BatteryManager;
import android.os.Build;
import java.util.Map;
import org.navitas.phone.PhoneState;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowBatteryManager;

/** The battery that {@code dumpsys battery} shows. */
@Implements(className = "android.os.BatteryManager")
public class BatteryShadow extends ShadowBatteryManager {
    private static final Map<Integer, String> PROPERTIES = Map.of(
            BatteryManager.BATTERY_PROPERTY_CHARGE_COUNTER, "battery.charge_uah",
            BatteryManager.BATTERY_PROPERTY_CURRENT_NOW, "battery.current_ua",
            BatteryManager.BATTERY_PROPERTY_CURRENT_AVERAGE, "battery.current_ua",
            BatteryManager.BATTERY_PROPERTY_CAPACITY, "battery.capacity",
            BatteryManager.BATTERY_PROPERTY_ENERGY_COUNTER, "battery.energy_nwh",
            BatteryManager.BATTERY_PROPERTY_STATUS, "battery.status");

    @Implementation
    @Override
    protected long getLongProperty(int id) {
        String value = PROPERTIES.containsKey(id) ? PhoneState.get(PROPERTIES.get(id)) : null;
        return value == null ? Long.MIN_VALUE : Long.parseLong(value);
    }

    /** An unknown property is 0 for apps of before Android 9. */
    @Implementation
    @Override
    protected int getIntProperty(int id) {
        long value = getLongProperty(id);
        boolean isOld =
                RuntimeEnvironment.getApplication().getApplicationInfo().targetSdkVersion < Build.VERSION_CODES.P;
        return value == Long.MIN_VALUE && !isOld ? Integer.MIN_VALUE : (int) value;
    }

    @Implementation
    @Override
    protected boolean isCharging() {
        return PhoneState.isOn("battery.charging");
    }

    /** Unknown: the battery is always full. */
    @Implementation
    @Override
    protected long computeChargeTimeRemaining() {
        return -1;
    }
}
