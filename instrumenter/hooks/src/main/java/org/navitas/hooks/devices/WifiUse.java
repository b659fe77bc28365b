package org.navitas.hooks.devices;

import android.net.wifi.WifiManager;
import android.net.wifi.WifiManager.WifiLock;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Wi-Fi: locks, held from the first {@code acquire} to the last {@code release}, and scans, which end by themselves. */
final class WifiUse {
    private WifiUse() {}

    static void released(long start, long done, WifiLock lock) {
        boolean stops = done == Hook.FAILED;
        try {
            stops = stops || !lock.isHeld() && DeviceTables.get().wifiLocks.remove(lock);
        } finally {
            if (stops) {
                Hook.end(Api.WIFI_LOCK_STOP, start, Hook.WIFI_LOCK, Hook.STOP, done, System.identityHashCode(lock));
            } else {
                Hook.leave(Api.WIFI_LOCK_STOP);
            }
        }
    }

    static void scanned(long start, long done, boolean started) {
        if (started || done == Hook.FAILED) {
            Hook.end(Api.WIFI_SCAN, start, Hook.WIFI_SCAN, 0, done, System.identityHashCode(WifiManager.class));
        } else {
            Hook.leave(Api.WIFI_SCAN);
        }
    }
}
