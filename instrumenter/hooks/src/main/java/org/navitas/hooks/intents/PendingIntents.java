package org.navitas.hooks.intents;

import android.app.PendingIntent;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.os.Build;
import android.os.Bundle;
import android.os.Handler;
import java.util.Arrays;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/**
 * Hooks of pending intents. Those that are equal are one object of the system, whose intent carries the object's token:
 * every intent with which the object may be made, or its extras replaced, carries it. So the token is right whether the
 * system keeps the extras or replaces them. It is the same in each process, since objects outlive processes. The objects
 * before and after a cancellation share it; the record of the cancellation separates them.
 */
public final class PendingIntents {
    static final int ACTIVITY = 0;
    static final int SERVICE = 1;
    static final int FOREGROUND_SERVICE = 2;
    static final int BROADCAST = 3;
    private static final int FIRST_IDENTIFIER = 29; // the version of Android

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

    /** Hook of {@link PendingIntent#getActivities(Context, int, Intent[], int)}. */
    public static PendingIntent getActivities(Context context, int requestCode, Intent[] intents, int flags) {
        Sent sent = byLast(context, requestCode, intents, flags);
        return got(PendingIntent.getActivities(context, requestCode, withLast(intents, sent), flags), sent, 0);
    }

    /** Hook of {@link PendingIntent#getActivities(Context, int, Intent[], int, Bundle)}. */
    public static PendingIntent getActivities(
            Context context, int requestCode, Intent[] intents, int flags, Bundle options) {
        Sent sent = byLast(context, requestCode, intents, flags);
        return got(PendingIntent.getActivities(context, requestCode, withLast(intents, sent), flags, options), sent, 0);
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
    public static void send(
            PendingIntent intent,
            Context context,
            int code,
            Intent fill,
            PendingIntent.OnFinished finished,
            Handler handler)
            throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(context, code, fill, finished, handler);
        sent(start, context, intent);
    }

    /** Hook of {@link PendingIntent#send(Context, int, Intent, PendingIntent.OnFinished, Handler, String)}. */
    public static void send(
            PendingIntent intent,
            Context context,
            int code,
            Intent fill,
            PendingIntent.OnFinished finished,
            Handler handler,
            String permission)
            throws PendingIntent.CanceledException {
        long start = Hook.now();
        intent.send(context, code, fill, finished, handler, permission);
        sent(start, context, intent);
    }

    /** Hook of {@link PendingIntent#cancel}. */
    public static void cancel(PendingIntent intent) {
        long start = Hook.now();
        intent.cancel();
        cancelled(start, Kind.CANCEL_PENDING_INTENT, intent);
    }

    /** The last intent is the one of the object's identity. */
    private static Sent byLast(Context context, int requestCode, Intent[] intents, int flags) {
        Intent last = intents == null || intents.length == 0 ? null : intents[intents.length - 1];
        return by(ACTIVITY, context, requestCode, last, flags);
    }

    private static Intent[] withLast(Intent[] intents, Sent sent) {
        if (sent.intent == null || sent.intent == intents[intents.length - 1]) {
            return intents;
        }
        Intent[] copies = Arrays.copyOf(intents, intents.length, Intent[].class);
        copies[copies.length - 1] = sent.intent;
        return copies;
    }

    /** Prepares a request for a pending intent. */
    static Sent by(int type, Context context, int requestCode, Intent intent, int flags) {
        if (!Hook.records() || intent == null) {
            return Sent.by(context, intent, Components.NO_RECEIVER);
        }
        long token = tokenOf(context, type, requestCode, intent, identityOf(flags));
        Sent sent = Sent.by(context, intent, receiverOf(type), token);
        sent.token = token; // also if the intent does not carry it: it is the object's
        sent.flags |= (flags & PendingIntent.FLAG_CANCEL_CURRENT) == 0 ? 0 : Kind.REPLACES;
        sent.onlyAsks = (flags & PendingIntent.FLAG_NO_CREATE) != 0;
        return sent;
    }

    /** Returns the flags that are part of the object's identity (AOSP: PendingIntentController.getIntentSender). */
    private static int identityOf(int flags) {
        return flags
                & ~(PendingIntent.FLAG_NO_CREATE
                        | PendingIntent.FLAG_CANCEL_CURRENT
                        | PendingIntent.FLAG_UPDATE_CURRENT);
    }

    private static int receiverOf(int type) {
        return type == ACTIVITY ? Components.ACTIVITY : type == BROADCAST ? Components.RECEIVER : Components.SERVICE;
    }

    /** Returns the token of the system's object, made of what makes pending intents equal (AOSP: PendingIntentRecord.Key). */
    private static long tokenOf(Context context, int type, int requestCode, Intent intent, int flags) {
        long token = Hashes.mixed(Hashes.mixed(Tokens.ofInstallation(context), (long) type << 32 ^ flags), requestCode);
        token = Hashes.mixed(token, intent.getAction());
        token = Hashes.mixed(token, intent.getDataString());
        token = Hashes.mixed(token, intent.getType());
        token = Hashes.mixed(token, intent.getPackage());
        ComponentName component = intent.getComponent();
        token = Hashes.mixed(token, component == null ? null : component.getPackageName());
        token = Hashes.mixed(token, component == null ? null : component.getClassName());
        token = Hashes.mixed(
                token, Build.VERSION.SDK_INT < FIRST_IDENTIFIER ? null : NewerPendingIntents.identifierOf(intent));
        long categories = 0;
        if (intent.getCategories() != null) {
            for (String each : intent.getCategories()) {
                categories += Hashes.mixed(0, each); // in any order
            }
        }
        token = Hashes.mixed(token, categories);
        return token == 0 ? 1 : token;
    }

    /** Records what the system returned. Who only asks for an object has not made it, so that has no record. */
    static PendingIntent got(PendingIntent result, Sent sent, int flags) {
        if (result != null && sent.token != 0) {
            sent.flags |= flags;
            PendingIntents known = new PendingIntents(
                    sent.token, sent.target, Sent.actionOf(sent.intent), sent.flags & ~Kind.REPLACES);
            synchronized (IntentTables.get().pendingIntents) {
                IntentTables.get().pendingIntents.remove(result); // an equal object, which may be collected earlier
                IntentTables.get().pendingIntents.put(result, known);
            }
            if (!sent.onlyAsks) {
                sent.done(Kind.PENDING_INTENT);
            }
        }
        return result;
    }

    /** Records that a pending intent is used: sent, or set as an alarm. */
    static void used(long start, int kind, int flags, long periodMs, Context context, PendingIntent intent) {
        if (start != 0 && intent != null) {
            PendingIntents known;
            synchronized (IntentTables.get().pendingIntents) {
                known = IntentTables.get().pendingIntents.get(intent);
            }
            String module = Components.moduleOf(context);
            if (known == null) {
                Hook.communication(start, 0, (flags | Kind.LEAVES) << 16 | kind, periodMs, module, "", "");
            } else {
                Hook.communication(
                        start,
                        known.token,
                        (flags | known.flags) << 16 | kind,
                        periodMs,
                        module,
                        known.target,
                        known.action);
            }
        }
    }

    /** Records that a pending intent, or its alarm, is cancelled. What hooks have not seen has no record to end. */
    static void cancelled(long start, int kind, PendingIntent intent) {
        if (start != 0 && intent != null) {
            PendingIntents known;
            synchronized (IntentTables.get().pendingIntents) {
                known = IntentTables.get().pendingIntents.get(intent);
            }
            if (known != null) {
                Hook.communication(start, known.token, known.flags << 16 | kind, 0, "", known.target, known.action);
            }
        }
    }

    static void sent(long start, Context context, PendingIntent intent) {
        used(start, Kind.PENDING_INTENT_SEND, 0, 0, context, intent);
    }
}
