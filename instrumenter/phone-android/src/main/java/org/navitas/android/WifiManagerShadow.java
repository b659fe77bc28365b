package org.navitas.android;

import android.net.wifi.WifiManager.WifiLock;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowWifiManager;

/** Creates Wi-Fi locks that know their mode, and starts scans, which find no network. */
@Implements(className = "android.net.wifi.WifiManager")
public class WifiManagerShadow extends ShadowWifiManager {
    @Implementation
    @Override
    protected WifiLock createWifiLock(int mode, String tag) {
        WifiLock lock = super.createWifiLock(mode, tag);
        WifiLockShadow shadow = Shadow.extract(lock);
        shadow.name = mode + " " + tag;
        return lock;
    }

    @Implementation
    @Override
    protected boolean startScan() {
        boolean starts = super.startScan();
        if (starts) {
            ComponentUse.once("wifiscan");
        }
        return starts;
    }
}
