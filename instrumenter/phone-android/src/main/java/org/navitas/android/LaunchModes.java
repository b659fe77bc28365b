package org.navitas.android;

import android.app.Activity;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.android.controller.ActivityController;

/** Which running activity gets an intent, instead of a new one (AOSP: ActivityStarter). For the main thread only. */
final class LaunchModes {
    private LaunchModes() {}

    /** Delivers the intent to an activity of the task; returns false if it needs a new activity. */
    static boolean reuse(List<Activities.Entry> task, ActivityInfo info, Intent intent) {
        boolean isOnce = info.launchMode >= ActivityInfo.LAUNCH_SINGLE_TASK;
        boolean clears = isOnce || has(intent, Intent.FLAG_ACTIVITY_CLEAR_TOP);
        boolean isReordered = !clears && has(intent, Intent.FLAG_ACTIVITY_REORDER_TO_FRONT);
        boolean isSingleTop =
                info.launchMode != ActivityInfo.LAUNCH_MULTIPLE || has(intent, Intent.FLAG_ACTIVITY_SINGLE_TOP);
        int place = lastOf(task, info);
        if (place < 0 || !(clears || isReordered || isSingleTop && place == task.size() - 1)) {
            return false;
        }
        Activities.Entry entry = task.get(place);
        if (isReordered) {
            coverTop(task, entry);
            task.remove(entry);
            task.add(entry);
        } else {
            Activities.finish(new ArrayList<>(task.subList(place + 1, task.size())));
            if (!isSingleTop) { // the standard mode
                Activities.finish(new ArrayList<>(task.subList(place, place + 1)));
                return false;
            }
        }
        deliver(entry, new Intent(intent));
        return true;
    }

    private static boolean has(Intent intent, int flag) {
        return (intent.getFlags() & flag) != 0;
    }

    private static int lastOf(List<Activities.Entry> task, ActivityInfo info) {
        String name = info.targetActivity == null ? info.name : info.targetActivity;
        for (int i = task.size() - 1; i >= 0; i--) {
            Activity activity = task.get(i).controller.get();
            if (activity.getClass().getName().equals(name) && !activity.isFinishing()) {
                return i;
            }
        }
        return -1;
    }

    private static void coverTop(List<Activities.Entry> task, Activities.Entry next) {
        Activities.Entry top = task.get(task.size() - 1);
        if (top != next && top.controller.get().isResumed()) {
            top.controller.topActivityResumed(false).pause().stop();
        }
    }

    private static void deliver(Activities.Entry entry, Intent intent) {
        ActivityController<? extends Activity> controller = entry.controller;
        if (controller.get().isResumed()) {
            controller.topActivityResumed(false).pause();
        } else if (Activities.isStopped(entry)) {
            controller.restart(); // also starts it
        }
        controller.newIntent(intent).resume().topActivityResumed(true);
    }
}
