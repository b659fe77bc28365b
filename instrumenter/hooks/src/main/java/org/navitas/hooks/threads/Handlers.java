package org.navitas.hooks.threads;

import android.os.Handler;

/**
 * Hooks of handlers: work carries where it was posted. Work passes through as it is in handlers of the app's own
 * classes, which could see it.
 */
public final class Handlers {
    private Handlers() {}

    /** Hook of {@link Handler#post}. */
    public static boolean post(Handler handler, Runnable task) {
        return handler.post(posted(handler, task));
    }

    /** Hook of {@link Handler#postDelayed(Runnable, long)}. */
    public static boolean postDelayed(Handler handler, Runnable task, long delayMs) {
        return handler.postDelayed(posted(handler, task), delayMs);
    }

    /** Hook of {@link Handler#postAtTime(Runnable, long)}. */
    public static boolean postAtTime(Handler handler, Runnable task, long uptimeMs) {
        return handler.postAtTime(posted(handler, task), uptimeMs);
    }

    /** Hook of {@link Handler#postAtTime(Runnable, Object, long)}. */
    public static boolean postAtTime(Handler handler, Runnable task, Object token, long uptimeMs) {
        return handler.postAtTime(posted(handler, task), token, uptimeMs);
    }

    /** Hook of {@link Handler#postAtFrontOfQueue}. */
    public static boolean postAtFrontOfQueue(Handler handler, Runnable task) {
        return handler.postAtFrontOfQueue(posted(handler, task));
    }

    /** Hook of {@link Handler#removeCallbacks(Runnable)}. */
    public static void removeCallbacks(Handler handler, Runnable task) {
        handler.removeCallbacks(task);
        Posted known = Posted.known(task);
        if (known != null) {
            handler.removeCallbacks(known);
        }
    }

    /** Hook of {@link Handler#removeCallbacks(Runnable, Object)}. */
    public static void removeCallbacks(Handler handler, Runnable task, Object token) {
        handler.removeCallbacks(task, token);
        Posted known = Posted.known(task);
        if (known != null) {
            handler.removeCallbacks(known, token);
        }
    }

    static Runnable posted(Handler handler, Runnable task) {
        boolean isPlatform = handler != null && handler.getClass().getClassLoader() == Handler.class.getClassLoader();
        return isPlatform ? Posted.of(task) : task;
    }
}
