package org.navitas.android;

import android.Manifest;
import android.net.wifi.WifiManager.WifiLock;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowWifiManager.ShadowWifiLock;

/** Wi-Fi locks that apps hold. */
@Implements(className = "android.net.wifi.WifiManager$WifiLock")
public class WifiLockShadow extends ShadowWifiLock {
    private static final String WIFI_LOCK = "wifilock";

    /** The mode's number and the tag. */
    String name = "";

    @RealObject
    private WifiLock lock;

    @Implementation
    @Override
    protected synchronized void acquire() {
        Permissions.enforce(Manifest.permission.WAKE_LOCK, null);
        super.acquire();
        ComponentUse.start(WIFI_LOCK, lock, name, 0);
    }

    @Implementation
    @Override
    protected synchronized void release() {
        super.release();
        if (!lock.isHeld()) {
            ComponentUse.stop(WIFI_LOCK, lock);
        }
    }
}
