package org.navitas.android;

import android.bluetooth.BluetoothGatt;
import android.bluetooth.BluetoothGattCallback;
import android.content.Context;
import android.os.Handler;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowBluetoothDevice;

/** Links to other devices, from their start to the end that {@link BluetoothGattShadow} reports. */
@Implements(className = "android.bluetooth.BluetoothDevice")
public class BluetoothDeviceShadow extends ShadowBluetoothDevice {
    @Implementation
    @Override
    protected BluetoothGatt connectGatt(Context context, boolean auto, BluetoothGattCallback callback) {
        return started(super.connectGatt(context, auto, callback));
    }

    @Implementation
    @Override
    protected BluetoothGatt connectGatt(Context context, boolean auto, BluetoothGattCallback callback, int transport) {
        return started(super.connectGatt(context, auto, callback, transport));
    }

    @Implementation
    @Override
    protected BluetoothGatt connectGatt(
            Context context, boolean auto, BluetoothGattCallback callback, int transport, int phy, Handler handler) {
        return started(super.connectGatt(context, auto, callback, transport, phy, handler));
    }

    private static BluetoothGatt started(BluetoothGatt link) {
        Permissions.enforceBluetooth("CONNECT", "BLUETOOTH");
        if (link != null) {
            ComponentUse.start(BluetoothGattShadow.LINK, link, "link", 0);
        }
        return link;
    }
}
