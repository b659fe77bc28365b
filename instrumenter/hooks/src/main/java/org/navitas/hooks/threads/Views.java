package org.navitas.hooks.threads;

import android.app.Activity;
import android.os.Looper;
import android.view.View;

/** Hooks of work that views and activities run on the main thread: it carries where it was handed over. */
public final class Views {
    private Views() {}

    /** Hook of {@link View#post}. */
    public static boolean post(View view, Runnable task) {
        return view.post(Posted.of(task));
    }

    /** Hook of {@link View#postDelayed}. */
    public static boolean postDelayed(View view, Runnable task, long delayMs) {
        return view.postDelayed(Posted.of(task), delayMs);
    }

    /** Hook of {@link View#postOnAnimation}. */
    public static void postOnAnimation(View view, Runnable task) {
        view.postOnAnimation(Posted.of(task));
    }

    /** Hook of {@link View#postOnAnimationDelayed}. */
    public static void postOnAnimationDelayed(View view, Runnable task, long delayMs) {
        view.postOnAnimationDelayed(Posted.of(task), delayMs);
    }

    /** Hook of {@link View#removeCallbacks}. */
    public static boolean removeCallbacks(View view, Runnable task) {
        boolean removed = view.removeCallbacks(task);
        Posted known = Posted.known(task);
        return known == null ? removed : view.removeCallbacks(known) | removed;
    }

    /** Hook of {@link Activity#runOnUiThread}. On the main thread, the work runs at once and is not handed over. */
    public static void runOnUiThread(Activity activity, Runnable task) {
        activity.runOnUiThread(Looper.myLooper() == Looper.getMainLooper() ? task : Handed.of(task));
    }
}
