package org.navitas.hooks.intents;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Bundle;
import android.os.Handler;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of broadcasts of Android 8 and 13. */
@NewerPlatform
public final class NewerBroadcasts {
    private NewerBroadcasts() {}

    /** Hook of {@link Context#registerReceiver(BroadcastReceiver, IntentFilter, int)}. */
    public static Intent registerReceiver(Context context, BroadcastReceiver receiver, IntentFilter filter, int flags) {
        long start = Hook.now();
        Intent sticky = context.registerReceiver(receiver, filter, flags);
        Broadcasts.registered(start, context, receiver, filter);
        return sticky;
    }

    /** Hook of {@link Context#registerReceiver(BroadcastReceiver, IntentFilter, String, Handler, int)}. */
    public static Intent registerReceiver(
            Context context,
            BroadcastReceiver receiver,
            IntentFilter filter,
            String permission,
            Handler handler,
            int flags) {
        long start = Hook.now();
        Intent sticky = context.registerReceiver(receiver, filter, permission, handler, flags);
        Broadcasts.registered(start, context, receiver, filter);
        return sticky;
    }

    /** Hook of {@code Context#sendBroadcast(Intent, String, Bundle)}. */
    public static void sendBroadcast(Context context, Intent intent, String permission, Bundle options) {
        Sent sent = Sent.by(context, intent, Components.RECEIVER);
        context.sendBroadcast(sent.intent, permission, options);
        sent.done(Kind.SEND_BROADCAST);
    }
}
