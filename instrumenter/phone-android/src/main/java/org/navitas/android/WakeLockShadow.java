package org.navitas.android;

import android.Manifest;
import android.os.Handler;
import android.os.Looper;
import android.os.PowerManager.WakeLock;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowPowerManager.ShadowWakeLock;

/** Wake locks that apps hold. */
@Implements(className = "android.os.PowerManager$WakeLock")
public class WakeLockShadow extends ShadowWakeLock {
    private static final String WAKE_LOCK = "wakelock";

    @RealObject
    private WakeLock lock;

    @Implementation
    @Override
    protected void acquire() {
        Permissions.enforce(Manifest.permission.WAKE_LOCK, null);
        super.acquire();
        ComponentUse.start(WAKE_LOCK, lock, getTag(), 0);
    }

    @Implementation
    @Override
    protected synchronized void acquire(long timeout) {
        Permissions.enforce(Manifest.permission.WAKE_LOCK, null);
        super.acquire(timeout);
        ComponentUse.start(WAKE_LOCK, lock, getTag(), 0);
        new Handler(Looper.getMainLooper()).postDelayed(this::stopUnlessHeld, timeout + 1);
    }

    @Implementation
    @Override
    protected synchronized void release(int flags) {
        super.release(flags);
        stopUnlessHeld();
    }

    private void stopUnlessHeld() {
        if (!lock.isHeld()) {
            ComponentUse.stop(WAKE_LOCK, lock);
        }
    }
}
