package org.navitas.hooks.intents;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Bundle;
import android.os.Handler;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/** Hooks of broadcasts and of the registration of their receivers. */
public final class Broadcasts {

    private Broadcasts() {}

    /** Hook of {@link Context#sendBroadcast(Intent)}. */
    public static void sendBroadcast(Context context, Intent intent) {
        Sent sent = Sent.by(context, intent, Components.RECEIVER);
        context.sendBroadcast(sent.intent);
        sent.done(Kind.SEND_BROADCAST);
    }

    /** Hook of {@link Context#sendBroadcast(Intent, String)}. */
    public static void sendBroadcast(Context context, Intent intent, String permission) {
        Sent sent = Sent.by(context, intent, Components.RECEIVER);
        context.sendBroadcast(sent.intent, permission);
        sent.done(Kind.SEND_BROADCAST);
    }

    /** Hook of {@link Context#sendOrderedBroadcast(Intent, String)}. */
    public static void sendOrderedBroadcast(Context context, Intent intent, String permission) {
        Sent sent = Sent.by(context, intent, Components.RECEIVER);
        context.sendOrderedBroadcast(sent.intent, permission);
        sent.done(Kind.SEND_BROADCAST);
    }

    /** Hook of {@link Context#sendOrderedBroadcast}. A receiver of the result that lacks an inserted call sees no token. */
    public static void sendOrderedBroadcast(
            Context context,
            Intent intent,
            String permission,
            BroadcastReceiver result,
            Handler handler,
            int code,
            String data,
            Bundle extras) {
        boolean hidden = result != null && Hook.records() && AndroidTables.RECEIVE.isHidden(result.getClass());
        Sent sent = Sent.by(context, intent, hidden ? Components.NO_RECEIVER : Components.RECEIVER);
        context.sendOrderedBroadcast(sent.intent, permission, result, handler, code, data, extras);
        sent.done(Kind.SEND_BROADCAST);
    }

    /** Hook of {@link Context#sendStickyBroadcast(Intent)}. It carries nothing: registerReceiver returns it to the app. */
    @SuppressWarnings("deprecation")
    public static void sendStickyBroadcast(Context context, Intent intent) {
        Sent sent = Sent.by(context, intent, Components.NO_RECEIVER);
        context.sendStickyBroadcast(intent);
        sent.done(Kind.SEND_BROADCAST);
    }

    /** Hook of {@link Context#registerReceiver(BroadcastReceiver, IntentFilter)}. */
    public static Intent registerReceiver(Context context, BroadcastReceiver receiver, IntentFilter filter) {
        long start = Hook.now();
        Intent sticky = context.registerReceiver(receiver, filter);
        registered(start, context, receiver, filter);
        return sticky;
    }

    /** Hook of {@link Context#registerReceiver(BroadcastReceiver, IntentFilter, String, Handler)}. */
    public static Intent registerReceiver(
            Context context, BroadcastReceiver receiver, IntentFilter filter, String permission, Handler handler) {
        long start = Hook.now();
        Intent sticky = context.registerReceiver(receiver, filter, permission, handler);
        registered(start, context, receiver, filter);
        return sticky;
    }

    /** Returns whether a receiver without an inserted call may get broadcasts of an action. */
    static boolean isHidden(String action) {
        return IntentTables.get().hiddenActions.contains(action);
    }

    static void registered(long start, Context context, BroadcastReceiver receiver, IntentFilter filter) {
        if (start != 0 && receiver != null && filter != null) {
            StringBuilder actions = new StringBuilder();
            boolean hides = AndroidTables.RECEIVE.isHidden(receiver.getClass());
            for (int i = 0; i < filter.countActions(); i++) {
                if (hides) {
                    IntentTables.get().hiddenActions.add(filter.getAction(i));
                }
                actions.append(i > 0 ? "," : "").append(filter.getAction(i));
            }
            Hook.communication(
                    start,
                    0,
                    Kind.REGISTER_RECEIVER,
                    0,
                    Components.moduleOf(context),
                    receiver.getClass().getName(),
                    actions.toString());
        }
    }
}
