package org.navitas.hooks.intents;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import java.util.concurrent.Executor;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.base.NewerPlatform;

/** Hooks of calls of services of Android 8 and 10. */
@NewerPlatform
public final class NewerServiceCalls {
    private NewerServiceCalls() {}

    /** Hook of {@link Context#startForegroundService}. */
    public static ComponentName startForegroundService(Context context, Intent intent) {
        Sent sent = Sent.by(context, intent, Components.SERVICE);
        ComponentName result = context.startForegroundService(sent.intent);
        if (result != null) { // else there is no such service
            sent.flags |= Kind.FOREGROUND;
            sent.done(Kind.START_FOREGROUND_SERVICE);
        }
        return result;
    }

    /** Hook of {@link Context#bindService(Intent, int, Executor, ServiceConnection)}. */
    public static boolean bindService(
            Context context, Intent intent, int flags, Executor executor, ServiceConnection connection) {
        Sent sent = Sent.by(context, intent, Components.BINDING);
        boolean result = context.bindService(sent.intent, flags, executor, connection);
        ServiceCalls.bound(result, connection, sent);
        return result;
    }
}
