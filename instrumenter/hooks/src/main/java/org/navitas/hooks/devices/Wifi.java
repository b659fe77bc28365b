package org.navitas.hooks.devices;

import android.net.wifi.WifiManager.WifiLock;
import android.net.wifi.WifiManager;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of Wi-Fi: locks, held from the first {@code acquire} to the last {@code release}, and scans. */
public final class Wifi {

    private Wifi() {}

    /** Hook of {@link WifiLock#acquire}. */
    public static void acquire(WifiLock lock) {
        long start = Hook.begin(Api.WIFI_LOCK);
        long done = Hook.FAILED;
        try {
            lock.acquire();
            done = 0;
            DeviceTables.get().wifiLocks.add(lock);
        } finally {
            Hook.end(Api.WIFI_LOCK, start, Hook.WIFI_LOCK, 0, done, System.identityHashCode(lock));
        }
    }

    /** Hook of {@link WifiLock#release}. */
    public static void release(WifiLock lock) {
        long start = Hook.begin(Api.WIFI_LOCK_STOP);
        long done = Hook.FAILED;
        boolean stops = false;
        try {
            lock.release();
            stops = !lock.isHeld() && DeviceTables.get().wifiLocks.remove(lock);
            done = 0;
        } finally {
            if (stops || done == Hook.FAILED) {
                Hook.end(Api.WIFI_LOCK_STOP, start, Hook.WIFI_LOCK, Hook.STOP, done, System.identityHashCode(lock));
            } else {
                Hook.leave(Api.WIFI_LOCK_STOP);
            }
        }
    }

    /** Hook of {@link WifiManager#startScan}. A scan ends by itself. */
    @SuppressWarnings("deprecation")
    public static boolean startScan(WifiManager manager) {
        long start = Hook.begin(Api.WIFI_SCAN);
        long done = Hook.FAILED;
        boolean started = false;
        try {
            started = manager.startScan();
            done = 0;
            return started;
        } finally {
            if (started || done == Hook.FAILED) {
                Hook.end(Api.WIFI_SCAN, start, Hook.WIFI_SCAN, 0, done, System.identityHashCode(WifiManager.class));
            } else {
                Hook.leave(Api.WIFI_SCAN);
            }
        }
    }
}
