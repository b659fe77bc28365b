package org.navitas.hooks.devices;

import android.bluetooth.BluetoothAdapter;
import android.bluetooth.BluetoothDevice;
import android.bluetooth.BluetoothGatt;
import android.bluetooth.BluetoothGattCallback;
import android.bluetooth.le.BluetoothLeScanner;
import android.bluetooth.le.ScanCallback;
import android.bluetooth.le.ScanFilter;
import android.bluetooth.le.ScanSettings;
import android.content.Context;
import java.util.List;
import java.util.UUID;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of Bluetooth: discovery and scans from start to stop, and links from {@code connectGatt} to their end. */
@SuppressWarnings("deprecation")
public final class Bluetooth {
    /** How long a discovery lasts unless it is cancelled; see {@link BluetoothAdapter#startDiscovery}. */
    private static final long DISCOVERY_MS = 12_000;

    private Bluetooth() {}

    /** Hook of {@link BluetoothAdapter#startDiscovery}. */
    public static boolean startDiscovery(BluetoothAdapter adapter) {
        long start = Hook.begin(Api.BLUETOOTH_SCAN);
        long done = Hook.FAILED;
        boolean started = false;
        try {
            started = adapter.startDiscovery();
            done = 0;
            if (started && Hook.now() != 0) {
                Timeout timeout = new DiscoveryEnd(adapter);
                Timeout former = DeviceTables.get().discoveries.put(adapter, timeout);
                if (former != null) {
                    former.cancel();
                }
                timeout.after(DISCOVERY_MS);
            }
            return started;
        } finally {
            scans(Api.BLUETOOTH_SCAN, start, done, started, System.identityHashCode(adapter));
        }
    }

    /** Hook of {@link BluetoothAdapter#cancelDiscovery}. */
    public static boolean cancelDiscovery(BluetoothAdapter adapter) {
        long start = Hook.begin(Api.BLUETOOTH_SCAN_STOP);
        long done = Hook.FAILED;
        try {
            boolean result = adapter.cancelDiscovery();
            done = 0;
            return result;
        } finally {
            discovered(start, done, adapter);
        }
    }

    /** Hook of {@link BluetoothAdapter#startLeScan(BluetoothAdapter.LeScanCallback)}. */
    public static boolean startLeScan(BluetoothAdapter adapter, BluetoothAdapter.LeScanCallback callback) {
        long start = Hook.begin(Api.BLUETOOTH_LE_SCAN);
        long done = Hook.FAILED;
        boolean started = false;
        try {
            started = adapter.startLeScan(callback);
            done = 0;
            return started;
        } finally {
            started(start, done, started, callback);
        }
    }

    /** Hook of {@link BluetoothAdapter#startLeScan(UUID[], BluetoothAdapter.LeScanCallback)}. */
    public static boolean startLeScan(BluetoothAdapter adapter, UUID[] services,
            BluetoothAdapter.LeScanCallback callback) {
        long start = Hook.begin(Api.BLUETOOTH_LE_SCAN);
        long done = Hook.FAILED;
        boolean started = false;
        try {
            started = adapter.startLeScan(services, callback);
            done = 0;
            return started;
        } finally {
            started(start, done, started, callback);
        }
    }

    /** Hook of {@link BluetoothAdapter#stopLeScan(BluetoothAdapter.LeScanCallback)}. */
    public static void stopLeScan(BluetoothAdapter adapter, BluetoothAdapter.LeScanCallback callback) {
        long start = Hook.begin(Api.BLUETOOTH_LE_STOP);
        long done = Hook.FAILED;
        try {
            adapter.stopLeScan(callback);
            done = 0;
        } finally {
            DeviceTables.get().bluetoothScans.end(Api.BLUETOOTH_LE_STOP, Hook.BLUETOOTH_SCAN, start, done, callback);
        }
    }

    /** Hook of {@link BluetoothLeScanner#startScan(ScanCallback)}. */
    public static void startScan(BluetoothLeScanner scanner, ScanCallback callback) {
        long start = Hook.begin(Api.BLUETOOTH_LE_SCAN);
        long done = Hook.FAILED;
        try {
            scanner.startScan(callback);
            done = 0;
        } finally {
            started(start, done, true, callback);
        }
    }

    /** Hook of {@link BluetoothLeScanner#startScan(List, ScanSettings, ScanCallback)}. */
    public static void startScan(BluetoothLeScanner scanner, List<ScanFilter> filters, ScanSettings settings,
            ScanCallback callback) {
        long start = Hook.begin(Api.BLUETOOTH_LE_SCAN);
        long done = Hook.FAILED;
        try {
            scanner.startScan(filters, settings, callback);
            done = 0;
        } finally {
            started(start, done, true, callback);
        }
    }

    /** Hook of {@link BluetoothLeScanner#stopScan(ScanCallback)}. */
    public static void stopScan(BluetoothLeScanner scanner, ScanCallback callback) {
        long start = Hook.begin(Api.BLUETOOTH_LE_STOP);
        long done = Hook.FAILED;
        try {
            scanner.stopScan(callback);
            done = 0;
        } finally {
            DeviceTables.get().bluetoothScans.end(Api.BLUETOOTH_LE_STOP, Hook.BLUETOOTH_SCAN, start, done, callback);
        }
    }

    /** Hook of {@link BluetoothDevice#connectGatt(Context, boolean, BluetoothGattCallback)}. */
    public static BluetoothGatt connectGatt(BluetoothDevice device, Context context, boolean autoConnect,
            BluetoothGattCallback callback) {
        long start = Hook.begin(Api.BLUETOOTH_LINK);
        long done = Hook.FAILED;
        BluetoothGatt link = null;
        try {
            link = device.connectGatt(context, autoConnect, callback);
            done = 0;
            return link;
        } finally {
            connected(start, done, link);
        }
    }

    /** Hook of {@link BluetoothGatt#connect}: a link that has ended begins again. */
    public static boolean connect(BluetoothGatt link) {
        long start = Hook.begin(Api.BLUETOOTH_LINK);
        long done = Hook.FAILED;
        boolean connects = false;
        try {
            connects = link.connect();
            done = 0;
            return connects;
        } finally {
            connected(start, done, connects ? link : null);
        }
    }

    /** Hook of {@link BluetoothGatt#disconnect}. */
    public static void disconnect(BluetoothGatt link) {
        long start = Hook.begin(Api.BLUETOOTH_LINK_STOP);
        long done = Hook.FAILED;
        try {
            link.disconnect();
            done = 0;
        } finally {
            DeviceTables.get().bluetoothLinks.end(Api.BLUETOOTH_LINK_STOP, Hook.BLUETOOTH_LINK, start, done, link);
        }
    }

    /** Hook of {@link BluetoothGatt#close}. */
    public static void close(BluetoothGatt link) {
        long start = Hook.begin(Api.BLUETOOTH_LINK_STOP);
        long done = Hook.FAILED;
        try {
            link.close();
            done = 0;
        } finally {
            DeviceTables.get().bluetoothLinks.end(Api.BLUETOOTH_LINK_STOP, Hook.BLUETOOTH_LINK, start, done, link);
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

    private static void started(long start, long done, boolean started, Object callback) {
        if (started && done != Hook.FAILED) {
            DeviceTables.get().bluetoothScans.add(callback);
        }
        scans(Api.BLUETOOTH_LE_SCAN, start, done, started, System.identityHashCode(callback));
    }

    /** Ends a call; without a record if no scan started. */
    static void scans(int api, long start, long done, boolean started, long handle) {
        if (started || done == Hook.FAILED) {
            Hook.end(api, start, Hook.BLUETOOTH_SCAN, 0, done, handle);
        } else {
            Hook.leave(api);
        }
    }

    private static void discovered(long start, long done, BluetoothAdapter adapter) {
        Timeout timeout = done == Hook.FAILED ? null : DeviceTables.get().discoveries.remove(adapter);
        if (timeout != null) {
            timeout.cancel();
        }
        if (timeout != null || done == Hook.FAILED) {
            Hook.end(Api.BLUETOOTH_SCAN_STOP, start, Hook.BLUETOOTH_SCAN, Hook.STOP, done, System.identityHashCode(adapter));
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
