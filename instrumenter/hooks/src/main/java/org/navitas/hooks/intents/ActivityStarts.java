package org.navitas.hooks.intents;

import android.app.Activity;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import org.navitas.hooks.base.Kind;

/** Hooks of starts of activities and of their results. */
public final class ActivityStarts {
    private ActivityStarts() {}

    /** Hook of {@link Context#startActivity(Intent)}. */
    public static void startActivity(Context context, Intent intent) {
        Sent sent = Sent.by(context, intent, Components.ACTIVITY);
        context.startActivity(sent.intent);
        sent.done(Kind.START_ACTIVITY);
    }

    /** Hook of {@link Context#startActivity(Intent, Bundle)}. */
    public static void startActivity(Context context, Intent intent, Bundle options) {
        Sent sent = Sent.by(context, intent, Components.ACTIVITY);
        context.startActivity(sent.intent, options);
        sent.done(Kind.START_ACTIVITY);
    }

    /** Hook of {@link Context#startActivities(Intent[])}. */
    public static void startActivities(Context context, Intent[] intents) {
        Sent[] sent = each(context, intents);
        context.startActivities(sent == null ? intents : copies(sent));
        done(sent);
    }

    /** Hook of {@link Context#startActivities(Intent[], Bundle)}. */
    public static void startActivities(Context context, Intent[] intents, Bundle options) {
        Sent[] sent = each(context, intents);
        context.startActivities(sent == null ? intents : copies(sent), options);
        done(sent);
    }

    /** Hook of {@link Activity#startActivityForResult(Intent, int)}. */
    public static void startActivityForResult(Activity activity, Intent intent, int requestCode) {
        Sent sent = Sent.by(activity, intent, Components.ACTIVITY);
        activity.startActivityForResult(sent.intent, requestCode);
        Results.requested(activity, requestCode, sent);
    }

    /** Hook of {@link Activity#startActivityForResult(Intent, int, Bundle)}. */
    public static void startActivityForResult(Activity activity, Intent intent, int requestCode, Bundle options) {
        Sent sent = Sent.by(activity, intent, Components.ACTIVITY);
        activity.startActivityForResult(sent.intent, requestCode, options);
        Results.requested(activity, requestCode, sent);
    }

    /** Hook of {@link Activity#startActivityIfNeeded(Intent, int)}. */
    public static boolean startActivityIfNeeded(Activity activity, Intent intent, int requestCode) {
        Sent sent = Sent.by(activity, intent, Components.ACTIVITY);
        boolean result = activity.startActivityIfNeeded(sent.intent, requestCode);
        if (result) {
            Results.requested(activity, requestCode, sent);
        }
        return result;
    }

    /** Hook of {@link Activity#startActivityIfNeeded(Intent, int, Bundle)}. */
    public static boolean startActivityIfNeeded(Activity activity, Intent intent, int requestCode, Bundle options) {
        Sent sent = Sent.by(activity, intent, Components.ACTIVITY);
        boolean result = activity.startActivityIfNeeded(sent.intent, requestCode, options);
        if (result) {
            Results.requested(activity, requestCode, sent);
        }
        return result;
    }

    /** Hook of {@link Activity#setResult(int)}. */
    public static void setResult(Activity activity, int resultCode) {
        activity.setResult(resultCode);
        Results.set(activity, null);
    }

    /** Hook of {@link Activity#setResult(int, Intent)}. */
    public static void setResult(Activity activity, int resultCode, Intent data) {
        activity.setResult(resultCode, data);
        Results.set(activity, data);
    }

    private static Sent[] each(Context context, Intent[] intents) {
        if (intents == null) {
            return null;
        }
        Sent[] sent = new Sent[intents.length];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = Sent.by(context, intents[i], Components.ACTIVITY);
        }
        return sent;
    }

    private static Intent[] copies(Sent[] sent) {
        Intent[] intents = new Intent[sent.length];
        for (int i = 0; i < sent.length; i++) {
            intents[i] = sent[i].intent;
        }
        return intents;
    }

    private static void done(Sent[] sent) {
        if (sent != null) {
            for (Sent each : sent) {
                each.done(Kind.START_ACTIVITY);
            }
        }
    }
}
