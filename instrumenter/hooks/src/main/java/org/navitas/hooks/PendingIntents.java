package org.navitas.hooks;

import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.navitas.runtime.Hook;

/**
 * Hooks of pending intents. Those that are equal are one object of the system, whose intent carries the object's token:
 * every intent with which the object may be made, or its extras replaced, carries it. So the token is right whether the
 * system keeps the extras or replaces them.
 */
public final class PendingIntents {
    static final int ACTIVITY = 0;
    static final int SERVICE = 1;
    static final int FOREGROUND_SERVICE = 2;
    static final int BROADCAST = 3;
    private static final Callback[][][] RECEIVERS = {
        Components.ACTIVITY, Components.SERVICE, Components.SERVICE, Components.RECEIVER,
    };
    /** Flags that are not part of the object's identity (AOSP: PendingIntentController.getIntentSender). */
    private static final int REQUESTS =
            PendingIntent.FLAG_NO_CREATE | PendingIntent.FLAG_CANCEL_CURRENT | PendingIntent.FLAG_UPDATE_CURRENT;
    private static final int MOST_OBJECTS = 4096;

    /** The tokens of the system's objects, by what makes them equal; those used least recently are forgotten. */
    private static final Map<Target, Long> TOKENS = new LinkedHashMap<Target, Long>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Target, Long> eldest) {
            return size() > MOST_OBJECTS;
        }
    };
    /** What is known of an object that the app has. */
    private static final Map<PendingIntent, PendingIntents> KNOWN = new WeakHashMap<>();

    final long token;
    final String target;
    final String action;
    final int flags;

    private PendingIntents(long token, String target, String action, int flags) {
        this.token = token;
        this.target = target;
        this.action = action;
        this.flags = flags;
    }

    /** What makes pending intents equal. */
    private static final class Target {
        private final int type;
        private final int requestCode;
        private final int flags;
        private final Intent.FilterComparison filter;

        Target(int type, int requestCode, Intent intent, int flags) {
            this.type = type;
            this.requestCode = requestCode;
            this.flags = flags & ~REQUESTS;
            filter = new Intent.FilterComparison(intent.cloneFilter());
        }

        @Override
        public int hashCode() {
            return 31 * (31 * (31 * type + requestCode) + flags) + filter.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            Target that = other instanceof Target ? (Target) other : null;
            return that != null && type == that.type && requestCode == that.requestCode && flags == that.flags
                    && filter.equals(that.filter);
        }
    }

    /** Hook of {@link PendingIntent#getActivity(Context, int, Intent, int)}. */
    public static PendingIntent getActivity(Context context, int requestCode, Intent intent, int flags) {
        Sent sent = by(ACTIVITY, context, requestCode, intent, flags);
        return got(PendingIntent.getActivity(context, requestCode, sent.intent, flags), sent, 0);
    }

    /** Hook of {@link PendingIntent#getActivity(Context, int, Intent, int, Bundle)}. */
    public static PendingIntent getActivity(
            Context context, int requestCode, Intent intent, int flags, Bundle options) {
        Sent sent = by(ACTIVITY, context, requestCode, intent, flags);
        return got(PendingIntent.getActivity(context, requestCode, sent.intent, flags, options), sent, 0);
    }

    /** Hook of {@link PendingIntent#getService}. */
    public static PendingIntent getService(Context context, int requestCode, Intent intent, int flags) {
        Sent sent = by(SERVICE, context, requestCode, intent, flags);
        return got(PendingIntent.getService(context, requestCode, sent.intent, flags), sent, 0);
    }

    /** Hook of {@link PendingIntent#getBroadcast}. */
    public static PendingIntent getBroadcast(Context context, int requestCode, Intent intent, int flags) {
        Sent sent = by(BROADCAST, context, requestCode, intent, flags);
        return got(PendingIntent.getBroadcast(context, requestCode, sent.intent, flags), sent, 0);
    }

    /** Hook of {@link PendingIntent#send()}. */
    public static void send(PendingIntent intent) throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send();
        sent(start, null, intent);
    }

    /** Hook of {@link PendingIntent#send(int)}. */
    public static void send(PendingIntent intent, int code) throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(code);
        sent(start, null, intent);
    }

    /** Hook of {@link PendingIntent#send(Context, int, Intent)}. */
    public static void send(PendingIntent intent, Context context, int code, Intent fill)
            throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(context, code, fill);
        sent(start, context, intent);
    }

    /** Hook of {@link PendingIntent#send(int, PendingIntent.OnFinished, Handler)}. */
    public static void send(PendingIntent intent, int code, PendingIntent.OnFinished finished, Handler handler)
            throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(code, finished, handler);
        sent(start, null, intent);
    }

    /** Hook of {@link PendingIntent#send(Context, int, Intent, PendingIntent.OnFinished, Handler)}. */
    public static void send(PendingIntent intent, Context context, int code, Intent fill,
            PendingIntent.OnFinished finished, Handler handler) throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(context, code, fill, finished, handler);
        sent(start, context, intent);
    }

    /** Hook of {@link PendingIntent#send(Context, int, Intent, PendingIntent.OnFinished, Handler, String)}. */
    public static void send(PendingIntent intent, Context context, int code, Intent fill,
            PendingIntent.OnFinished finished, Handler handler, String permission) throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(context, code, fill, finished, handler, permission);
        sent(start, context, intent);
    }

    /** Prepares a request for a pending intent. */
    static Sent by(int type, Context context, int requestCode, Intent intent, int flags) {
        if (!Hook.records() || intent == null) {
            return Sent.by(context, intent, null);
        }
        long token;
        synchronized (TOKENS) {
            Target target = new Target(type, requestCode, intent, flags);
            Long known = (flags & PendingIntent.FLAG_CANCEL_CURRENT) == 0 ? TOKENS.get(target) : null;
            token = known == null ? Tokens.fresh() : known;
            TOKENS.put(target, token);
        }
        Sent sent = Sent.by(context, intent, RECEIVERS[type], token);
        sent.token = token; // also if the intent does not carry it: it is the object's
        return sent;
    }

    /** Records what the system returned. */
    static PendingIntent got(PendingIntent result, Sent sent, int flags) {
        if (result != null && sent.token != 0) {
            sent.flags |= flags;
            synchronized (KNOWN) {
                KNOWN.remove(result); // an equal object, which may be collected earlier
                KNOWN.put(result, new PendingIntents(sent.token, sent.target, Sent.actionOf(sent.intent), sent.flags));
            }
            sent.done(Kind.PENDING_INTENT);
        }
        return result;
    }

    /** Records that a pending intent is used: sent, or set as an alarm. */
    static void used(long start, int kind, int flags, long periodMs, Context context, PendingIntent intent) {
        if (start != 0 && intent != null) {
            PendingIntents known;
            synchronized (KNOWN) {
                known = KNOWN.get(intent);
            }
            String module = Components.moduleOf(context);
            if (known == null) {
                Hook.communication(start, 0, (flags | Kind.LEAVES) << 16 | kind, periodMs, module, "", "");
            } else {
                Hook.communication(
                        start, known.token, (flags | known.flags) << 16 | kind, periodMs, module, known.target, known.action);
            }
        }
    }

    static void sent(long start, Context context, PendingIntent intent) {
        used(start, Kind.PENDING_INTENT_SEND, 0, 0, context, intent);
    }
}
