package org.navitas.hooks.devices;

import android.os.PowerManager.WakeLock;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of wake locks: held from the first {@code acquire} to the last {@code release}, or to the end of a timeout. */
public final class WakeLocks {

    private WakeLocks() {}

    /** Hook of {@link WakeLock#acquire()}. */
    public static void acquire(WakeLock lock) {
        long start = Hook.begin(Api.WAKE_LOCK);
        long done = Hook.FAILED;
        try {
            lock.acquire();
            note(lock);
            done = 0;
        } finally {
            Hook.end(Api.WAKE_LOCK, start, Hook.WAKE_LOCK, 0, done, System.identityHashCode(lock));
        }
    }

    /** Hook of {@link WakeLock#acquire(long)}. */
    public static void acquire(WakeLock lock, long timeoutMs) {
        long start = Hook.begin(Api.WAKE_LOCK);
        long done = Hook.FAILED;
        try {
            lock.acquire(timeoutMs);
            Timeout timeout = note(lock);
            if (timeout != null) {
                timeout.after(timeoutMs);
            }
            done = 0;
        } finally {
            Hook.end(Api.WAKE_LOCK, start, Hook.WAKE_LOCK, 0, done, System.identityHashCode(lock));
        }
    }

    /** Hook of {@link WakeLock#release()}. */
    public static void release(WakeLock lock) {
        long start = Hook.begin(Api.WAKE_LOCK_STOP);
        long done = Hook.FAILED;
        try {
            lock.release();
            done = 0;
        } finally {
            released(start, done, lock);
        }
    }

    /** Hook of {@link WakeLock#release(int)}. */
    public static void release(WakeLock lock, int flags) {
        long start = Hook.begin(Api.WAKE_LOCK_STOP);
        long done = Hook.FAILED;
        try {
            lock.release(flags);
            done = 0;
        } finally {
            released(start, done, lock);
        }
    }

    private static Timeout note(WakeLock lock) {
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

    private static void released(long start, long done, WakeLock lock) {
        Timeout timeout = done == Hook.FAILED || lock.isHeld() ? null : DeviceTables.get().wakeLocks.remove(lock);
        if (timeout == null && done != Hook.FAILED) {
            Hook.leave(Api.WAKE_LOCK_STOP); // still held, or not acquired by hooked code
            return;
        }
        if (timeout != null) {
            timeout.cancel();
        }
        Hook.end(Api.WAKE_LOCK_STOP, start, Hook.WAKE_LOCK, Hook.STOP, done, System.identityHashCode(lock));
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
