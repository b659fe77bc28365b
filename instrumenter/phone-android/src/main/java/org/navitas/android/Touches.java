package org.navitas.android;

import android.app.Activity;
import android.os.SystemClock;
import android.view.MotionEvent;
import android.view.View;
import android.widget.TextView;

/** Taps, swipes and text of {@code input}, for the activity in front. Coordinates are pixels of its window. */
final class Touches {
    private static final int STEP_MS = 16;

    private final long down = SystemClock.uptimeMillis();
    /** The activity that the finger touched; null before, and without an activity. */
    private Activity touched;

    private Touches() {}

    /**
     * Moves a finger from one point to another within a time; both may be the same. As on a phone, the activity that it
     * touches gets the whole gesture, or the gesture's cancellation once another activity is in front. Does nothing without
     * an activity.
     */
    static void swipe(float fromX, float fromY, float toX, float toY, long durationMs) {
        Touches gesture = new Touches();
        boolean isOn = gesture.send(MotionEvent.ACTION_DOWN, fromX, fromY);
        long steps = durationMs / STEP_MS;
        for (long step = 1; isOn && step <= steps; step++) {
            SystemClock.sleep(STEP_MS);
            float part = (float) step / steps;
            isOn = gesture.send(MotionEvent.ACTION_MOVE, fromX + part * (toX - fromX), fromY + part * (toY - fromY));
        }
        if (isOn) {
            gesture.send(MotionEvent.ACTION_UP, toX, toY);
        }
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

    /** Sends a part of the gesture, or its cancellation if the activity is no longer in front. Returns whether it is. */
    private boolean send(int action, float x, float y) {
        boolean[] isOn = new boolean[1];
        PhoneInstrumentation.get().runOnMainSync(() -> {
            Activity front = Activities.top();
            if (action == MotionEvent.ACTION_DOWN) {
                touched = front;
            }
            isOn[0] = touched != null && touched == front;
            if (touched != null && !touched.isDestroyed()) {
                MotionEvent event = MotionEvent.obtain(
                        down, SystemClock.uptimeMillis(), isOn[0] ? action : MotionEvent.ACTION_CANCEL, x, y, 0);
                touched.dispatchTouchEvent(event);
                event.recycle();
            }
        });
        PhoneInstrumentation.get().waitForIdleSync();
        return isOn[0];
    }
}
