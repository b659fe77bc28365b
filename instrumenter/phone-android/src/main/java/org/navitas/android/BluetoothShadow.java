package org.navitas.android;

import android.bluetooth.BluetoothAdapter;
import android.os.Build;
import org.navitas.phone.PhoneState;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowBluetoothAdapter;

/** The phone's Bluetooth radio. */
@Implements(className = "android.bluetooth.BluetoothAdapter")
public class BluetoothShadow extends ShadowBluetoothAdapter {
    @Implementation
    @Override
    protected boolean isEnabled() {
        return PhoneState.isOn("bluetooth");
    }

    @Implementation
    @Override
    protected int getState() {
        return isEnabled() ? BluetoothAdapter.STATE_ON : BluetoothAdapter.STATE_OFF;
    }

    @Implementation
    @Override
    protected boolean enable() {
        return set(true);
    }

    @Implementation
    @Override
    protected boolean disable() {
        return set(false);
    }

    private static boolean set(boolean isOn) {
        Permissions.enforceBluetooth("CONNECT", "BLUETOOTH_ADMIN");
        return Radio.set("bluetooth", isOn, Build.VERSION_CODES.TIRAMISU);
    }
}
