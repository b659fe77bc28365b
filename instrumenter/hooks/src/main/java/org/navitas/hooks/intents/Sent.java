package org.navitas.hooks.intents;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/** A send of an intent: what to pass to the platform, and what its record says. For one thread. */
final class Sent {
    /** The intent to pass to the platform: the app's own, or a copy with the token. */
    Intent intent;
    /** 0 unless the intent carries it. */
    long token;

    int flags;
    /** Whether the call only asks for a pending intent that exists: it makes none, and sends nothing. */
    boolean onlyAsks;

    final String target;
    private final long start;
    private final Context context;

    private Sent(Context context, Intent intent, long start, String target) {
        this.context = context;
        this.intent = intent;
        this.start = start;
        this.target = target;
    }

    /**
     * Prepares a send. Never throws; the intent stays as it is if it must not carry a token, or cannot.
     *
     * @param context the context that sends, or null if it is unknown
     * @param receiver who receives the intent, such as {@link Components#ACTIVITY}; or {@link Components#NO_RECEIVER}
     */
    static Sent by(Context context, Intent intent, int receiver) {
        return by(context, intent, receiver, 0);
    }

    /** As {@link #by(Context, Intent, int)}, with a token that the intent may carry; 0 for a fresh one. */
    static Sent by(Context context, Intent intent, int receiver, long token) {
        if (!Hook.records() || intent == null) {
            return new Sent(context, intent, 0, "");
        }
        long start = Hook.now();
        ComponentName component = intent.getComponent();
        String own = Tokens.ownPackage(context);
        boolean stays = own != null && own.equals(component == null ? intent.getPackage() : component.getPackageName());
        Sent sent = new Sent(context, intent, start, stays && component != null ? component.getClassName() : "");
        sent.flags = stays ? 0 : Kind.LEAVES;
        if (stays
                && receiver != Components.NO_RECEIVER
                && !Components.sees(context)
                && (component == null
                        ? !(receiver == Components.RECEIVER && Broadcasts.isHidden(actionOf(intent)))
                                && Resolved.removeTokens(intent, context, receiver)
                        : Components.removesTokens(component.getClassName(), context, receiver))) {
            long carried = token == 0 ? Tokens.fresh() : token;
            Intent copy = Tokens.put(intent, carried);
            if (copy != null) {
                sent.intent = copy;
                sent.token = carried;
            }
        }
        return sent;
    }

    /** Records that the platform has taken the intent. */
    void done(int kind) {
        if (start != 0) {
            Hook.communication(
                    start, token, flags << 16 | kind, 0, Components.moduleOf(context), target, actionOf(intent));
        }
    }

    /** Returns an intent's action; empty if there is none. */
    static String actionOf(Intent intent) {
        String action = intent == null ? null : intent.getAction();
        return action == null ? "" : action;
    }
}
