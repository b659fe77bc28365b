package org.navitas.android;

import android.Manifest;
import android.net.DhcpInfo;
import android.net.wifi.WifiManager;
import android.net.wifi.WifiManager.WifiLock;
import android.os.Build;
import org.navitas.phone.ComponentUse;
import org.navitas.phone.PhoneState;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowWifiManager;

/** The phone's Wi-Fi radio. Creates Wi-Fi locks that know their mode, and starts scans, which find no network. */
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
        Permissions.enforce(Manifest.permission.CHANGE_WIFI_STATE, "WifiService");
        boolean starts = isOn() && super.startScan();
        if (starts) {
            ComponentUse.once("wifiscan");
        }
        return starts;
    }

    @Implementation
    @Override
    protected boolean isWifiEnabled() {
        Permissions.enforce(Manifest.permission.ACCESS_WIFI_STATE, "WifiService");
        return isOn();
    }

    @Implementation
    @Override
    protected int getWifiState() {
        return isWifiEnabled() ? WifiManager.WIFI_STATE_ENABLED : WifiManager.WIFI_STATE_DISABLED;
    }

    @Implementation
    @Override
    protected boolean setWifiEnabled(boolean enabled) {
        Permissions.enforce(Manifest.permission.CHANGE_WIFI_STATE, "WifiService");
        return Radio.set("wifi", enabled, Build.VERSION_CODES.Q);
    }

    /** Addresses are not modelled; but an app never gets null. */
    @Implementation
    @Override
    protected DhcpInfo getDhcpInfo() {
        return new DhcpInfo();
    }

    private static boolean isOn() {
        return PhoneState.isOn("wifi");
    }
}
