package org.navitas.android;

import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.ServiceConnection;
import android.content.pm.PackageManager;
import android.os.Handler;
import android.os.Process;
import java.util.concurrent.Executor;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowContextImpl;

/**
 * Runs the app's services; Robolectric only records the requests. Adds the phone's sticky broadcasts, and power monitors from
 * Android 15 on.
 */
@Implements(className = "android.app.ContextImpl")
public class ContextShadow extends ShadowContextImpl {
    private static final String FINE_MONITORS = "android.permission.ACCESS_FINE_POWER_MONITORS";

    @Implementation
    @Override
    protected Object getSystemService(String name) {
        boolean isHealth =
                Context.SYSTEM_HEALTH_SERVICE.equals(name) && Boolean.getBoolean("navitas.android.powerMonitors");
        return isHealth ? new PhoneHealthManager() : super.getSystemService(name);
    }

    /** Robolectric does not know the manifest's requests, nor what pm granted. */
    @Implementation
    @Override
    protected int checkPermission(String permission, int pid, int uid) {
        if (FINE_MONITORS.equals(permission)) {
            boolean isGranted = Boolean.getBoolean("navitas.android.finePowerMonitors");
            return isGranted ? PackageManager.PERMISSION_GRANTED : PackageManager.PERMISSION_DENIED;
        }
        boolean isApp = uid == Process.myUid();
        return isApp && Permissions.isRequested(permission)
                ? PackageManager.PERMISSION_GRANTED
                : super.checkPermission(permission, pid, uid);
    }

    @Implementation
    @Override
    protected Intent registerReceiver(BroadcastReceiver receiver, IntentFilter filter) {
        return StickyBroadcasts.send(super.registerReceiver(receiver, filter), receiver, filter, null);
    }

    @Implementation
    @Override
    protected Intent registerReceiver(BroadcastReceiver receiver, IntentFilter filter, int flags) {
        return StickyBroadcasts.send(super.registerReceiver(receiver, filter, flags), receiver, filter, null);
    }

    @Implementation
    @Override
    protected Intent registerReceiver(
            BroadcastReceiver receiver, IntentFilter filter, String permission, Handler scheduler) {
        return StickyBroadcasts.send(
                super.registerReceiver(receiver, filter, permission, scheduler), receiver, filter, scheduler);
    }

    @Implementation
    @Override
    protected Intent registerReceiver(
            BroadcastReceiver receiver, IntentFilter filter, String permission, Handler scheduler, int flags) {
        return StickyBroadcasts.send(
                super.registerReceiver(receiver, filter, permission, scheduler, flags), receiver, filter, scheduler);
    }

    @Implementation
    @Override
    protected ComponentName startService(Intent intent) {
        ComponentName noted = super.startService(intent);
        ComponentName started = Services.start(intent);
        return started == null ? noted : started;
    }

    @Implementation
    @Override
    protected boolean stopService(Intent intent) {
        boolean wasNoted = super.stopService(intent);
        return Services.stop(intent) || wasNoted;
    }

    @Implementation
    @Override
    protected boolean bindService(Intent intent, ServiceConnection connection, int flags) {
        return Services.bind(intent, connection, null) || super.bindService(intent, connection, flags);
    }

    @Implementation
    @Override
    protected boolean bindService(Intent intent, int flags, Executor executor, ServiceConnection connection) {
        return Services.bind(intent, connection, executor) || super.bindService(intent, flags, executor, connection);
    }

    @Implementation
    @Override
    protected void unbindService(ServiceConnection connection) {
        if (!Services.unbind(connection)) {
            super.unbindService(connection);
        }
    }
}
