package org.navitas.hooks.devices;

import android.os.PowerManager.WakeLock;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Wake locks: held from the first {@code acquire} to the last {@code release}, or to the end of a timeout. */
final class WakeLockUse {
    private WakeLockUse() {}

    /** Notes that a lock is held. */
    static void acquired(WakeLock lock, long timeoutMs) {
        Timeout timeout = acquired(lock);
        if (timeout != null) {
            timeout.after(timeoutMs);
        }
    }

    static Timeout acquired(WakeLock lock) {
        if (Hook.now() == 0) {
            return null;
        }
        synchronized (DeviceTables.get().wakeLocks) {
            Timeout known = DeviceTables.get().wakeLocks.get(lock);
            if (known == null) {
                known = new Released(lock);
                DeviceTables.get().wakeLocks.put(lock, known);
            }
            return known;
        }
    }

    static void released(long start, long done, WakeLock lock) {
        Timeout timeout = null;
        try {
            timeout = done == Hook.FAILED || lock.isHeld()
                    ? null
                    : DeviceTables.get().wakeLocks.remove(lock);
        } finally {
            if (timeout == null && done != Hook.FAILED) {
                Hook.leave(Api.WAKE_LOCK_STOP); // still held, or not acquired by hooked code
            } else {
                Hook.end(Api.WAKE_LOCK_STOP, start, Hook.WAKE_LOCK, Hook.STOP, done, System.identityHashCode(lock));
            }
        }
        if (timeout != null) {
            timeout.cancel();
        }
    }

    /** Notes that a lock was released by its timeout. */
    private static final class Released extends Timeout {
        Released(WakeLock lock) {
            super(lock);
        }

        @Override
        void check(Object lock) {
            if (!((WakeLock) lock).isHeld()) {
                released(Hook.begin(Api.WAKE_LOCK_STOP), 0, (WakeLock) lock);
            }
        }
    }
}
