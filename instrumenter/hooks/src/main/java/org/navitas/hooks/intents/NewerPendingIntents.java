package org.navitas.hooks.intents;

import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of pending intents of Android 6 and 8. */
@NewerPlatform
public final class NewerPendingIntents {
    private NewerPendingIntents() {}

    /** Hook of {@link PendingIntent#getForegroundService}. */
    public static PendingIntent getForegroundService(Context context, int requestCode, Intent intent, int flags) {
        Sent sent = PendingIntents.by(PendingIntents.FOREGROUND_SERVICE, context, requestCode, intent, flags);
        PendingIntent result = PendingIntent.getForegroundService(context, requestCode, sent.intent, flags);
        return PendingIntents.got(result, sent, Kind.FOREGROUND);
    }

    /** Returns {@link Intent#getIdentifier}, of Android 10. */
    static String identifierOf(Intent intent) {
        return intent.getIdentifier();
    }

    /** Hook of {@link PendingIntent#send(Context, int, Intent, PendingIntent.OnFinished, Handler, String, Bundle)}. */
    public static void send(
            PendingIntent intent,
            Context context,
            int code,
            Intent fill,
            PendingIntent.OnFinished finished,
            Handler handler,
            String permission,
            Bundle options)
            throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(context, code, fill, finished, handler, permission, options);
        PendingIntents.sent(start, context, intent);
    }
}
