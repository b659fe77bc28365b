package org.navitas.android;

import android.app.Activity;
import android.os.SystemClock;
import android.view.MotionEvent;
import android.view.View;
import android.widget.TextView;

/** Taps, swipes and text of {@code input}, for the activity in front. Coordinates are pixels of its window. */
final class Touches {
    private static final int STEP_MS = 16;

    private Touches() {}

    /** Moves a finger from one point to another within a time; both may be the same. Does nothing without an activity. */
    static void swipe(float fromX, float fromY, float toX, float toY, long durationMs) {
        long down = SystemClock.uptimeMillis();
        send(down, MotionEvent.ACTION_DOWN, fromX, fromY);
        long steps = durationMs / STEP_MS;
        for (long step = 1; step <= steps; step++) {
            SystemClock.sleep(STEP_MS);
            float part = (float) step / steps;
            send(down, MotionEvent.ACTION_MOVE, fromX + part * (toX - fromX), fromY + part * (toY - fromY));
        }
        send(down, MotionEvent.ACTION_UP, toX, toY);
    }

    /** Adds text to the field with the focus, if there is one. */
    static void type(String text) {
        PhoneInstrumentation.get().runOnMainSync(() -> {
            Activity top = Activities.top();
            View focused = top == null ? null : top.getCurrentFocus();
            if (focused instanceof TextView && focused.onCheckIsTextEditor()) {
                ((TextView) focused).append(text);
            }
        });
    }

    private static void send(long down, int action, float x, float y) {
        PhoneInstrumentation.get().runOnMainSync(() -> {
            if (Activities.top() != null) {
                MotionEvent event = MotionEvent.obtain(down, SystemClock.uptimeMillis(), action, x, y, 0);
                Activities.top().dispatchTouchEvent(event);
                event.recycle();
            }
        });
        PhoneInstrumentation.get().waitForIdleSync();
    }
}
