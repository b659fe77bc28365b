package org.navitas.android;

import android.appwidget.AppWidgetManager;
import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.net.ConnectivityManager;
import android.os.Build;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;

/** Which receivers a broadcast reaches, beyond the filter that Robolectric has matched. */
final class BroadcastRules {
    /** Intent.FLAG_RECEIVER_INCLUDE_BACKGROUND, which is hidden. */
    private static final int INCLUDES_BACKGROUND = 0x01000000;
    /**
     * Implicit broadcasts that receivers of the manifest still get (Android: "Implicit broadcast exceptions"). Updates of
     * widgets are limited to the sender's package (AOSP: BroadcastController), so they are not implicit for this rule.
     */
    private static final Set<String> EXCEPTIONS = Set.of(
            Intent.ACTION_BOOT_COMPLETED,
            Intent.ACTION_LOCKED_BOOT_COMPLETED,
            Intent.ACTION_LOCALE_CHANGED,
            Intent.ACTION_TIME_CHANGED,
            Intent.ACTION_TIMEZONE_CHANGED,
            Intent.ACTION_MY_PACKAGE_REPLACED,
            Intent.ACTION_HEADSET_PLUG,
            "android.intent.action.USER_INITIALIZE",
            AppWidgetManager.ACTION_APPWIDGET_UPDATE,
            AppWidgetManager.ACTION_APPWIDGET_CONFIGURE,
            "android.app.action.SCHEDULE_EXACT_ALARM_PERMISSION_STATE_CHANGED");

    private BroadcastRules() {}

    /** Returns whether a phone delivers the intent to a receiver, which the context has registered. */
    static boolean isDelivered(Intent intent, BroadcastReceiver receiver, Context context) {
        boolean isOfManifest = isOfManifest(receiver, context);
        if (isOfManifest && !isOfManifest(receiver, context, 0)) {
            return false;
        }
        String own = context.getPackageName();
        ComponentName component = intent.getComponent();
        if (component != null) {
            return component.equals(new ComponentName(own, receiver.getClass().getName()));
        }
        if (intent.getPackage() != null) {
            return intent.getPackage().equals(own);
        }
        boolean isForRegistered = (intent.getFlags() & Intent.FLAG_RECEIVER_REGISTERED_ONLY) != 0;
        return !isOfManifest || !isForRegistered && wakesApps(intent, context.getApplicationInfo().targetSdkVersion);
    }

    /** Returns whether the receiver is in the manifest, enabled or not. */
    static boolean isOfManifest(BroadcastReceiver receiver, Context registrar) {
        return isOfManifest(receiver, registrar, PackageManager.MATCH_DISABLED_COMPONENTS);
    }

    /** Returns whether an implicit broadcast reaches receivers of the manifest. */
    private static boolean wakesApps(Intent intent, int targetSdk) {
        if (targetSdk >= Build.VERSION_CODES.N && ConnectivityManager.CONNECTIVITY_ACTION.equals(intent.getAction())) {
            return false;
        }
        return targetSdk < Build.VERSION_CODES.O
                || EXCEPTIONS.contains(String.valueOf(intent.getAction()))
                || (intent.getFlags() & INCLUDES_BACKGROUND) != 0;
    }

    /** Returns whether the receiver is in the manifest and, by the flags, enabled. */
    private static boolean isOfManifest(BroadcastReceiver receiver, Context registrar, int flags) {
        if (registrar != RuntimeEnvironment.getApplication()) {
            return false;
        }
        try {
            registrar.getPackageManager().getReceiverInfo(new ComponentName(registrar, receiver.getClass()), flags);
            return true;
        } catch (PackageManager.NameNotFoundException e) {
            return false;
        }
    }
}
