package org.navitas.android;

import android.app.Activity;
import android.os.SystemClock;
import android.view.KeyEvent;

/** Presses keys for the activity in front, as {@code input keyevent} does. */
final class Keys {
    private Keys() {}

    /**
     * Presses and releases a key, which the activity's views and then the activity get.
     *
     * @param key a number, or a name with or without KEYCODE_
     */
    static void press(String key) {
        int code = KeyEvent.keyCodeFromString(key);
        PhoneInstrumentation.get().runOnMainSync(() -> send(KeyEvent.ACTION_DOWN, code));
        PhoneInstrumentation.get().runOnMainSync(() -> send(KeyEvent.ACTION_UP, code));
    }

    private static void send(int action, int code) {
        Activity activity = Activities.top();
        if (activity != null && code != KeyEvent.KEYCODE_UNKNOWN) {
            long now = SystemClock.uptimeMillis();
            activity.getWindow().getDecorView().dispatchKeyEvent(new KeyEvent(now, now, action, code, 0));
        }
    }
}
