package org.navitas.hooks.devices;

import android.os.Handler;
import android.os.Looper;
import java.lang.ref.WeakReference;

/** Looks on the main thread whether the use of a device has ended by itself. Lets the device be collected. */
abstract class Timeout implements Runnable {
    private final Handler main = new Handler(Looper.getMainLooper());
    private final WeakReference<Object> device;

    Timeout(Object device) {
        this.device = new WeakReference<>(device);
    }

    /** Checks the device when a time has passed, and what Android does at that time is done. */
    final void after(long delayMs) {
        main.postDelayed(this, delayMs + 1);
    }

    /** Forgets all checks. */
    final void cancel() {
        main.removeCallbacks(this);
    }

    /** Records the end of the use if it has ended. Called on the main thread. */
    abstract void check(Object device);

    @Override
    public final void run() {
        Object object = device.get();
        if (object != null) {
            check(object);
        }
    }
}
