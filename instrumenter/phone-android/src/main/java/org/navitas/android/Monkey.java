package org.navitas.android;

import android.app.Activity;
import android.content.res.Configuration;
import android.view.View;
import android.view.ViewGroup;
import android.widget.EditText;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Pseudo-random events: clicks, text, back and rotation. The same seed and the same screens give the same events. */
final class Monkey {
    private static final int BACK_PERCENT = 8;
    private static final int ROTATION_PERCENT = 4;
    private static final int TEXT_PERCENT = 10;

    private final Random random;
    private final long throttleMs;
    private final String launcher;

    Monkey(long seed, long throttleMs, String launcher) {
        random = new Random(seed);
        this.throttleMs = throttleMs;
        this.launcher = launcher;
    }

    /** Runs the events; reports each one after it is handled. */
    void run(int events, Consumer<String> report) {
        for (int i = 0; i < events; i++) {
            String[] handled = new String[1];
            PhoneInstrumentation.get()
                    .runOnMainSync(() -> handled[0] = Activities.top() == null ? null : event(Activities.top()));
            if (handled[0] == null) {
                AppSession.launch(launcher);
                handled[0] = "switch " + launcher;
            }
            PhoneInstrumentation.get().waitForIdleSync();
            report.accept("event " + handled[0]);
            pause();
        }
    }

    private String event(Activity activity) {
        int dice = random.nextInt(100);
        if (dice < BACK_PERCENT) {
            activity.onBackPressed();
            return "back";
        }
        if (dice < BACK_PERCENT + ROTATION_PERCENT) {
            boolean isPortrait =
                    activity.getResources().getConfiguration().orientation != Configuration.ORIENTATION_LANDSCAPE;
            Activities.rotate(isPortrait);
            return isPortrait ? "rotation 90" : "rotation 0";
        }
        List<View> clickable = new ArrayList<>();
        collect(activity.getWindow().getDecorView(), clickable);
        if (clickable.isEmpty()) {
            return "nothing to click";
        }
        View view = clickable.get(random.nextInt(clickable.size()));
        if (view instanceof EditText && random.nextInt(100) < 100 - TEXT_PERCENT) {
            ((EditText) view).append(Character.toString((char) ('a' + random.nextInt(26))));
            return "key " + name(view);
        }
        view.performClick();
        return "click " + name(view);
    }

    private static void collect(View view, List<View> into) {
        if (view.getVisibility() != View.VISIBLE || !view.isEnabled()) {
            return;
        }
        if (view.isClickable()) {
            into.add(view);
        }
        if (view instanceof ViewGroup) {
            ViewGroup group = (ViewGroup) view;
            for (int i = 0; i < group.getChildCount(); i++) {
                collect(group.getChildAt(i), into);
            }
        }
    }

    private static String name(View view) {
        String kind = view.getClass().getSimpleName();
        return view.getId() == View.NO_ID ? kind : kind + " " + Integer.toHexString(view.getId());
    }

    private void pause() {
        try {
            Thread.sleep(throttleMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
