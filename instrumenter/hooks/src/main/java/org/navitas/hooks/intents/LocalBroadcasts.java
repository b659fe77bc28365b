package org.navitas.hooks.intents;

import android.content.BroadcastReceiver;
import android.content.Intent;
import android.content.IntentFilter;
import androidx.localbroadcastmanager.content.LocalBroadcastManager;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/** Hooks of broadcasts within a process. Receivers get the sent object itself, so nothing is put into it. */
public final class LocalBroadcasts {

    private LocalBroadcasts() {}

    /** Hook of {@link LocalBroadcastManager#sendBroadcast}. */
    public static boolean sendBroadcast(LocalBroadcastManager manager, Intent intent) {
        sent(intent);
        return manager.sendBroadcast(intent);
    }

    /** Hook of {@link LocalBroadcastManager#sendBroadcastSync}. */
    public static void sendBroadcastSync(LocalBroadcastManager manager, Intent intent) {
        sent(intent);
        manager.sendBroadcastSync(intent);
    }

    /** Hook of {@link LocalBroadcastManager#registerReceiver}. */
    public static void registerReceiver(
            LocalBroadcastManager manager, BroadcastReceiver receiver, IntentFilter filter) {
        long start = Hook.now();
        manager.registerReceiver(receiver, filter);
        Broadcasts.registered(start, null, receiver, filter);
    }

    /** Returns the token of an intent that was sent within the process; 0 for others. */
    static long tokenOf(Intent intent) {
        Long token = intent == null ? null : IntentTables.get().localIntents.get(intent);
        return token == null ? 0 : token;
    }

    private static void sent(Intent intent) {
        long start = Hook.now();
        if (start != 0 && intent != null) {
            long token = Tokens.fresh();
            IntentTables.get().localIntents.put(intent, token);
            Hook.communication(start, token, Kind.SEND_BROADCAST, 0, "", "", Sent.actionOf(intent));
        }
    }
}
