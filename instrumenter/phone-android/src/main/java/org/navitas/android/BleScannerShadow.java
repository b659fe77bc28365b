package org.navitas.android;

import android.bluetooth.le.ScanCallback;
import android.bluetooth.le.ScanFilter;
import android.bluetooth.le.ScanSettings;
import java.util.List;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowBluetoothLeScanner;

/** Bluetooth scans from start to stop. */
@Implements(className = "android.bluetooth.le.BluetoothLeScanner")
public class BleScannerShadow extends ShadowBluetoothLeScanner {
    private static final String SCAN = "blescan";

    @Implementation
    @Override
    protected void startScan(List<ScanFilter> filters, ScanSettings settings, ScanCallback callback) {
        Permissions.enforceBluetooth("SCAN", "BLUETOOTH_ADMIN");
        super.startScan(filters, settings, callback);
        ComponentUse.start(SCAN, callback, "scan", 0);
    }

    @Implementation
    @Override
    protected void stopScan(ScanCallback callback) {
        super.stopScan(callback);
        ComponentUse.stop(SCAN, callback);
    }
}
