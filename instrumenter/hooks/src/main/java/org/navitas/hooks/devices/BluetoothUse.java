package org.navitas.hooks.devices;

import android.app.PendingIntent;
import android.bluetooth.BluetoothAdapter;
import android.bluetooth.BluetoothGatt;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Bluetooth: discovery and scans from start to stop, and links from {@code connectGatt} to their end. */
final class BluetoothUse {
    /** How long a discovery lasts unless it is cancelled; see {@link BluetoothAdapter#startDiscovery}. */
    private static final long DISCOVERY_MS = 12_000;

    private BluetoothUse() {}

    /** Notes that a discovery starts, if it does. */
    static void discovering(BluetoothAdapter adapter, boolean started) {
        if (started && Hook.now() != 0) {
            Timeout timeout = new DiscoveryEnd(adapter);
            Timeout former = DeviceTables.get().discoveries.put(adapter, timeout);
            if (former != null) {
                former.cancel();
            }
            timeout.after(DISCOVERY_MS);
        }
    }

    static void connected(long start, long done, BluetoothGatt link) {
        if (link == null && done != Hook.FAILED) {
            Hook.leave(Api.BLUETOOTH_LINK);
            return;
        }
        DeviceTables.get().bluetoothLinks.add(link);
        Hook.end(Api.BLUETOOTH_LINK, start, Hook.BLUETOOTH_LINK, 0, done, System.identityHashCode(link));
    }

    static void started(long start, long done, boolean started, Object callback) {
        if (started && done != Hook.FAILED) {
            DeviceTables.get().bluetoothScans.add(callback);
        }
        scans(Api.BLUETOOTH_LE_SCAN, start, done, started, System.identityHashCode(callback));
    }

    /** Ends a start of a scan whose results an intent gets; the call returns 0 or an error. */
    static void started(long start, long done, int error, PendingIntent intent) {
        boolean started = done != Hook.FAILED && error == 0;
        if (started) {
            DeviceTables.get().bluetoothScanIntents.add(intent);
        }
        scans(Api.BLUETOOTH_LE_SCAN, start, done, started, StartedIntents.handleOf(intent));
    }

    /** Ends a call; without a record if no scan started. */
    static void scans(int api, long start, long done, boolean started, long handle) {
        if (started || done == Hook.FAILED) {
            Hook.end(api, start, Hook.BLUETOOTH_SCAN, 0, done, handle);
        } else {
            Hook.leave(api);
        }
    }

    static void discovered(long start, long done, BluetoothAdapter adapter) {
        Timeout timeout =
                done == Hook.FAILED ? null : DeviceTables.get().discoveries.remove(adapter);
        if (timeout != null) {
            timeout.cancel();
        }
        if (timeout != null || done == Hook.FAILED) {
            Hook.end(
                    Api.BLUETOOTH_SCAN_STOP,
                    start,
                    Hook.BLUETOOTH_SCAN,
                    Hook.STOP,
                    done,
                    System.identityHashCode(adapter));
        } else {
            Hook.leave(Api.BLUETOOTH_SCAN_STOP); // none that hooked code started
        }
    }

    /** Notes that a discovery has ended by itself. */
    private static final class DiscoveryEnd extends Timeout {
        DiscoveryEnd(BluetoothAdapter adapter) {
            super(adapter);
        }

        @Override
        void check(Object adapter) {
            discovered(Hook.begin(Api.BLUETOOTH_SCAN_STOP), 0, (BluetoothAdapter) adapter);
        }
    }
}
