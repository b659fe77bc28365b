package org.navitas.hooks.intents;

import android.app.Activity;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Build;
import android.os.Bundle;
import android.os.Handler;
import androidx.core.content.ContextCompat;
import org.navitas.runtime.Hook;

/**
 * Hooks of androidx.core, which makes calls of the platform in code without hooks. What only passes a call on is replaced
 * by the hook of that call, so that there is one record also if the library has hooks.
 */
public final class CompatibleCalls {
    private static final int FIRST_FOREGROUND = 26; // the version of Android

    private CompatibleCalls() {}

    /** Hook of {@code ContextCompat.startForegroundService}. */
    public static void startForegroundService(Context context, Intent intent) {
        if (Build.VERSION.SDK_INT < FIRST_FOREGROUND) {
            ServiceCalls.startService(context, intent);
        } else {
            NewerServiceCalls.startForegroundService(context, intent);
        }
    }

    /** Hook of {@code ContextCompat.startActivity}. */
    public static void startActivity(Context context, Intent intent, Bundle options) {
        ActivityStarts.startActivity(context, intent, options);
    }

    /** Hook of {@code ActivityCompat.startActivityForResult}. */
    public static void startActivityForResult(Activity activity, Intent intent, int requestCode, Bundle options) {
        ActivityStarts.startActivityForResult(activity, intent, requestCode, options);
    }

    /** Hook of {@code ContextCompat.registerReceiver}. */
    public static Intent registerReceiver(Context context, BroadcastReceiver receiver, IntentFilter filter, int flags) {
        long start = Hook.now();
        Intent sticky = ContextCompat.registerReceiver(context, receiver, filter, flags);
        Broadcasts.registered(start, context, receiver, filter);
        return sticky;
    }

    /** Hook of {@code ContextCompat.registerReceiver}. */
    public static Intent registerReceiver(
            Context context,
            BroadcastReceiver receiver,
            IntentFilter filter,
            String permission,
            Handler handler,
            int flags) {
        long start = Hook.now();
        Intent sticky = ContextCompat.registerReceiver(context, receiver, filter, permission, handler, flags);
        Broadcasts.registered(start, context, receiver, filter);
        return sticky;
    }
}
