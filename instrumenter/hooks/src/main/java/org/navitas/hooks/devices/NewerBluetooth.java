package org.navitas.hooks.devices;

import android.app.PendingIntent;
import android.bluetooth.BluetoothDevice;
import android.bluetooth.BluetoothGatt;
import android.bluetooth.BluetoothGattCallback;
import android.bluetooth.le.BluetoothLeScanner;
import android.bluetooth.le.ScanFilter;
import android.bluetooth.le.ScanSettings;
import android.content.Context;
import android.os.Handler;
import java.util.List;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of the methods of Android 6 and 8 for Bluetooth. */
@NewerPlatform
public final class NewerBluetooth {

    private NewerBluetooth() {}

    /** Hook of {@link BluetoothDevice#connectGatt(Context, boolean, BluetoothGattCallback, int)}. */
    public static BluetoothGatt connectGatt(BluetoothDevice device, Context context, boolean autoConnect,
            BluetoothGattCallback callback, int transport) {
        long start = Hook.begin(Api.BLUETOOTH_LINK);
        long done = Hook.FAILED;
        BluetoothGatt link = null;
        try {
            link = device.connectGatt(context, autoConnect, callback, transport);
            done = 0;
            return link;
        } finally {
            Bluetooth.connected(start, done, link);
        }
    }

    /** Hook of {@link BluetoothDevice#connectGatt(Context, boolean, BluetoothGattCallback, int, int)}. */
    public static BluetoothGatt connectGatt(BluetoothDevice device, Context context, boolean autoConnect,
            BluetoothGattCallback callback, int transport, int phy) {
        long start = Hook.begin(Api.BLUETOOTH_LINK);
        long done = Hook.FAILED;
        BluetoothGatt link = null;
        try {
            link = device.connectGatt(context, autoConnect, callback, transport, phy);
            done = 0;
            return link;
        } finally {
            Bluetooth.connected(start, done, link);
        }
    }

    /** Hook of {@link BluetoothDevice#connectGatt(Context, boolean, BluetoothGattCallback, int, int, Handler)}. */
    public static BluetoothGatt connectGatt(BluetoothDevice device, Context context, boolean autoConnect,
            BluetoothGattCallback callback, int transport, int phy, Handler handler) {
        long start = Hook.begin(Api.BLUETOOTH_LINK);
        long done = Hook.FAILED;
        BluetoothGatt link = null;
        try {
            link = device.connectGatt(context, autoConnect, callback, transport, phy, handler);
            done = 0;
            return link;
        } finally {
            Bluetooth.connected(start, done, link);
        }
    }

    /** Hook of {@link BluetoothLeScanner#startScan(List, ScanSettings, PendingIntent)}. */
    public static int startScan(BluetoothLeScanner scanner, List<ScanFilter> filters, ScanSettings settings, PendingIntent intent) {
        long start = Hook.begin(Api.BLUETOOTH_LE_SCAN);
        long done = Hook.FAILED;
        int error = -1;
        try {
            error = scanner.startScan(filters, settings, intent);
            done = 0;
            return error;
        } finally {
            if (error == 0) {
                DeviceTables.get().bluetoothScanIntents.add(intent);
            }
            Bluetooth.scans(Api.BLUETOOTH_LE_SCAN, start, done, error == 0, StartedIntents.handleOf(intent));
        }
    }

    /** Hook of {@link BluetoothLeScanner#stopScan(PendingIntent)}. */
    public static void stopScan(BluetoothLeScanner scanner, PendingIntent intent) {
        long start = Hook.begin(Api.BLUETOOTH_LE_STOP);
        long done = Hook.FAILED;
        try {
            scanner.stopScan(intent);
            done = 0;
        } finally {
            DeviceTables.get().bluetoothScanIntents.end(Api.BLUETOOTH_LE_STOP, Hook.BLUETOOTH_SCAN, start, done, intent);
        }
    }
}
