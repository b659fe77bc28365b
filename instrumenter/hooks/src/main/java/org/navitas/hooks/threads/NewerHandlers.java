package org.navitas.hooks.threads;

import android.os.Handler;
import org.navitas.hooks.base.NewerPlatform;

/** Hooks of handlers' methods of Android 9 and 10. */
@NewerPlatform
public final class NewerHandlers {
    private NewerHandlers() {}

    /** Hook of {@link Handler#postDelayed(Runnable, Object, long)}. */
    public static boolean postDelayed(Handler handler, Runnable task, Object token, long delayMs) {
        return handler.postDelayed(Handlers.posted(handler, task), token, delayMs);
    }

    /** Hook of {@link Handler#hasCallbacks}. */
    public static boolean hasCallbacks(Handler handler, Runnable task) {
        Posted known = Posted.known(task);
        return handler.hasCallbacks(task) || known != null && handler.hasCallbacks(known);
    }
}
