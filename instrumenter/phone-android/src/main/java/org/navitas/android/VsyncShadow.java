package org.navitas.android;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.os.Handler;
import android.os.Looper;
import android.view.DisplayEventReceiver;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowDisplayEventReceiver;

/** Frames come 60 times a second, at multiples of the frame time; Robolectric's come at once. */
@Implements(className = "android.view.DisplayEventReceiver", isInAndroidSdk = false)
public class VsyncShadow extends ShadowDisplayEventReceiver {
    private static final long FRAME_NS = 16_666_667;
    private static final long NS_PER_MS = 1_000_000;

    @RealObject
    private DisplayEventReceiver receiver;

    private Handler handler;

    @Implementation
    protected void scheduleVsync() {
        if (handler == null) {
            handler = Handler.createAsync(Looper.myLooper());
        }
        long now = System.nanoTime();
        long left = FRAME_NS - now % FRAME_NS;
        handler.postDelayed(this::frame, (left + NS_PER_MS - 1) / NS_PER_MS);
    }

    private void frame() {
        nativeScheduleVsync(
                reflector(DisplayEventReceiverReflector.class, receiver).getReceiverPtr());
    }

    /** Passes the time of the clock that animations use. */
    @Override
    protected void onVsync(long frameTimeNanos, int frame, Object data) {
        reflector(DisplayEventReceiverReflector.class, receiver).onVsync(System.nanoTime(), 0L, frame, data);
    }
}
