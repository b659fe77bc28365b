package org.navitas.android;

import android.app.Activity;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.res.Resources;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.util.ReflectionHelpers;

/**
 * The app's task. A started activity is on top; a finished one uncovers the activity below, in the order of Android's
 * ActivityTaskManager. A test can move an activity that it launched to other states itself. For the main thread only.
 */
final class Activities {
    private static final List<Entry> TASK = new ArrayList<>();

    private Activities() {}

    /** An activity of the task. */
    static final class Entry {
        final ActivityController<? extends Activity> controller;
        /** The activity that receives the result, or null. */
        final Activity caller;

        final String target;
        final int requestCode;

        Entry(ActivityController<? extends Activity> controller, Activity caller, String target, int requestCode) {
            this.controller = controller;
            this.caller = caller;
            this.target = target;
            this.requestCode = requestCode;
        }
    }

    /** Returns the activity in front, or null. */
    static Activity top() {
        TASK.removeIf(entry -> entry.controller.get().isDestroyed());
        return TASK.isEmpty() ? null : TASK.get(TASK.size() - 1).controller.get();
    }

    /** Launches an activity for a test, above the others. */
    static ActivityController<? extends Activity> launch(Supplier<ActivityController<? extends Activity>> starter) {
        return onMain(() -> {
            Entry covered = coverTop();
            ActivityController<? extends Activity> controller = starter.get();
            shown(new Entry(controller, null, null, -1), covered);
            return controller;
        });
    }

    /** Launches an activity for a test and finishes all others (FLAG_ACTIVITY_CLEAR_TASK). */
    static ActivityController<? extends Activity> launchAlone(
            Supplier<ActivityController<? extends Activity>> starter) {
        return onMain(() -> {
            coverTop();
            List<Entry> cleared = new ArrayList<>(TASK);
            ActivityController<? extends Activity> controller = starter.get();
            TASK.add(new Entry(controller, null, null, -1));
            finish(cleared);
            return controller;
        });
    }

    /** Finishes all activities, as AndroidX Test's ActivityFinisher does between tests. */
    static void finishAll() {
        finish(new ArrayList<>(TASK));
    }

    /** Finishes activities of the task, the one on top first. */
    static void finish(List<Entry> entries) {
        TASK.removeAll(entries);
        Collections.reverse(entries);
        for (Entry entry : entries) {
            if (!entry.controller.get().isFinishing()) {
                entry.controller.get().finish();
            }
            entry.controller.close();
        }
    }

    /** Pauses the activity in front; returns its entry, or null if there is none. */
    private static Entry coverTop() {
        if (top() == null) {
            return null;
        }
        Entry covered = TASK.get(TASK.size() - 1);
        if (covered.controller.get().isResumed()) {
            covered.controller.topActivityResumed(false).pause();
        }
        return covered;
    }

    /** Completes a start: stops the covered activity, or returns to it if the new one has finished already. */
    private static void shown(Entry started, Entry covered) {
        if (started.controller.get().isDestroyed()) {
            if (covered != null) {
                covered.controller.resume().topActivityResumed(true);
            }
            return;
        }
        TASK.add(started);
        if (covered != null && !covered.controller.get().isFinishing() && !isStopped(covered)) {
            covered.controller.stop();
        }
        if (started.controller.get().isFinishing()) { // showing it handles messages
            end(started);
        }
    }

    /** Starts an activity for the app or the launcher. Does nothing if the app does not declare it. */
    static void start(Intent intent, Bundle options, Activity caller, String target, int requestCode) {
        Intent typed = new Intent(intent); // Android asks the content's provider for its type.
        typed.setDataAndType(
                intent.getData(),
                intent.resolveTypeIfNeeded(RuntimeEnvironment.getApplication().getContentResolver()));
        ActivityInfo info =
                typed.resolveActivityInfo(RuntimeEnvironment.getApplication().getPackageManager(), 0);
        if (info == null
                || !info.packageName.equals(RuntimeEnvironment.getApplication().getPackageName())) {
            return;
        }
        new Handler(Looper.getMainLooper()).post(() -> {
            if (!LaunchModes.reuse(TASK, info, intent)) {
                Entry covered = coverTop();
                shown(new Entry(show(info, new Intent(intent), options), caller, target, requestCode), covered);
            }
        });
    }

    /** Moves an activity to its resumed state; destroys it if it finishes during its creation. */
    private static ActivityController<? extends Activity> show(ActivityInfo info, Intent intent, Bundle options) {
        ActivityController<? extends Activity> controller;
        try {
            String name = info.targetActivity == null ? info.name : info.targetActivity;
            controller = Robolectric.buildActivity(Class.forName(name).asSubclass(Activity.class), intent, options)
                    .create();
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

    /** Rotates the screen: each activity of the task gets the new configuration or is recreated. */
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

    /** Handles an activity's request to finish. */
    static void finishing(Activity activity) {
        new Handler(Looper.getMainLooper()).post(() -> {
            for (Entry entry : new ArrayList<>(TASK)) {
                if (entry.controller.get() == activity) {
                    end(entry);
                }
            }
        });
    }

    /** Ends an activity, which the test may have paused, stopped or destroyed itself. */
    private static void end(Entry entry) {
        boolean wasTop = TASK.indexOf(entry) == TASK.size() - 1;
        TASK.remove(entry);
        if (wasTop && entry.controller.get().isResumed()) {
            entry.controller.topActivityResumed(false).pause();
        }
        if (wasTop && top() != null) {
            Entry below = TASK.get(TASK.size() - 1);
            uncover(below, entry);
        }
        entry.controller.close();
    }

    private static void uncover(Entry below, Entry ended) {
        if (isStopped(below)) {
            below.controller.restart(); // also starts it
        }
        if (ended.requestCode >= 0 && below.controller.get() == ended.caller) {
            ShadowActivity result = Shadow.extract(ended.controller.get());
            ShadowActivity shadow = Shadow.extract(ended.caller);
            shadow.internalCallDispatchActivityResult(
                    ended.target, ended.requestCode, result.getResultCode(), result.getResultIntent());
        }
        if (!below.controller.get().isResumed()) {
            below.controller.resume().topActivityResumed(true);
        }
    }

    static boolean isStopped(Entry entry) {
        return ReflectionHelpers.<Boolean>getField(entry.controller.get(), "mStopped");
    }

    private static <T> T onMain(Supplier<T> action) {
        AtomicReference<T> result = new AtomicReference<>();
        PhoneInstrumentation.get().runOnMainSync(() -> result.set(action.get()));
        return result.get();
    }
}
