package org.navitas.android;

import android.app.Activity;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.res.Resources;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;

/**
 * The app's task: what is started comes on top, what finishes gives way to the activity below, in the order of Android's
 * ActivityTaskManager. An activity that a test launched is the test's own to move and to end. Used on the main thread alone.
 */
final class Activities {
    private static final List<Entry> TASK = new ArrayList<>();

    private Activities() {}

    private static final class Entry {
        final ActivityController<? extends Activity> controller;
        /** Who gets the result; null where nobody asked for one. */
        final Activity caller;
        /** It came by a test's own hand, which moves and ends it. */
        final boolean isTests;
        final String target;
        final int requestCode;

        Entry(
                ActivityController<? extends Activity> controller,
                Activity caller,
                boolean isTests,
                String target,
                int requestCode) {
            this.controller = controller;
            this.caller = caller;
            this.isTests = isTests;
            this.target = target;
            this.requestCode = requestCode;
        }
    }

    /** The activity in front, or null. */
    static Activity top() {
        TASK.removeIf(entry -> entry.controller.get().isDestroyed());
        return TASK.isEmpty() ? null : TASK.get(TASK.size() - 1).controller.get();
    }

    /** Launched by a test. */
    static void launched(ActivityController<? extends Activity> controller) {
        onMain(() -> {
            if (TASK.stream().noneMatch(entry -> entry.controller == controller)) {
                TASK.add(new Entry(controller, null, true, null, -1));
            }
        });
    }

    /** Started by the app itself or by the launcher; nothing where it is none of the app's own activities. */
    static void start(Intent intent, Bundle options, Activity caller, String target, int requestCode) {
        ActivityInfo info = intent.resolveActivityInfo(RuntimeEnvironment.getApplication().getPackageManager(), 0);
        if (info == null || !info.packageName.equals(RuntimeEnvironment.getApplication().getPackageName())) {
            return;
        }
        new Handler(Looper.getMainLooper()).post(() -> {
            Activity below = top();
            Entry covered = below == null ? null : TASK.get(TASK.size() - 1);
            if (covered != null) {
                covered.controller.pause();
            }
            ActivityController<? extends Activity> controller = show(info, intent, options);
            if (controller.get().isDestroyed()) { // it finished while it was created
                if (covered != null) {
                    covered.controller.resume();
                }
                return;
            }
            Entry started = new Entry(controller, caller, false, target, requestCode);
            TASK.add(started);
            if (covered != null && !covered.controller.get().isFinishing()) {
                covered.controller.stop();
            }
            if (controller.get().isFinishing()) { // messages are handled while it is shown
                end(started);
            }
        });
    }

    /** Up to its resumed state; destroyed when it finished while it was created. */
    private static ActivityController<? extends Activity> show(ActivityInfo info, Intent intent, Bundle options) {
        ActivityController<? extends Activity> controller;
        try {
            String name = info.targetActivity == null ? info.name : info.targetActivity;
            controller = Robolectric.buildActivity(Class.forName(name).asSubclass(Activity.class), intent, options).create();
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("Unable to instantiate activity " + info.name, e);
        }
        if (controller.get().isFinishing()) {
            return controller.destroy();
        }
        controller.start().postCreate(null).resume().visible().topActivityResumed(true);
        controller.get().getWindow().getDecorView().dispatchWindowFocusChanged(true);
        return controller;
    }

    /** The screen is turned: activities of the task take the new configuration, or are made anew. */
    static void rotate(boolean isLandscape) {
        RuntimeEnvironment.setQualifiers(isLandscape ? "+land" : "+port");
        Resources resources = RuntimeEnvironment.getApplication().getResources();
        for (Entry entry : new ArrayList<>(TASK)) {
            Activity before = entry.controller.get();
            if (!before.isDestroyed()) {
                entry.controller.configurationChange(resources.getConfiguration(), resources.getDisplayMetrics());
                if (entry.controller.get() != before) {
                    entry.controller.visible();
                }
            }
        }
    }

    /** An activity asked to be finished. */
    static void finishing(Activity activity) {
        new Handler(Looper.getMainLooper()).post(() -> {
            for (Entry entry : new ArrayList<>(TASK)) {
                if (entry.controller.get() == activity && !entry.isTests && !activity.isDestroyed()) {
                    end(entry);
                }
            }
        });
    }

    private static void end(Entry entry) {
        boolean wasTop = TASK.indexOf(entry) == TASK.size() - 1;
        TASK.remove(entry);
        if (!wasTop) {
            entry.controller.destroy();
            return;
        }
        entry.controller.pause();
        if (top() != null) {
            Entry below = TASK.get(TASK.size() - 1);
            below.controller.restart().start();
            if (entry.requestCode >= 0 && below.controller.get() == entry.caller) {
                ShadowActivity ended = Shadow.extract(entry.controller.get());
                ShadowActivity shadow = Shadow.extract(entry.caller);
                shadow.internalCallDispatchActivityResult(
                        entry.target, entry.requestCode, ended.getResultCode(), ended.getResultIntent());
            }
            below.controller.resume();
        }
        entry.controller.stop().destroy();
    }

    private static void onMain(Runnable action) {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            action.run();
        } else {
            PhoneInstrumentation.get().runOnMainSync(action);
        }
    }
}
