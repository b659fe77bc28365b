package org.navitas.android;

import android.app.Activity;
import android.app.Application;
import android.content.Intent;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.os.Build;
import android.os.Handler;
import android.os.Looper;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;

/** The app has all permissions that its manifest requests, as if a person had allowed each. */
final class Permissions {
    /** Constants of PackageManager, which are hidden. */
    private static final String REQUEST = "android.content.pm.action.REQUEST_PERMISSIONS";

    private static final String NAMES = "android.content.pm.extra.REQUEST_PERMISSIONS_NAMES";
    private static final String RESULTS = "android.content.pm.extra.REQUEST_PERMISSIONS_RESULTS";

    /** Those of the manifest, once the app has a context: each check of a permission asks for them. */
    private static volatile Set<String> requested;

    private Permissions() {}

    /** Returns whether the app's manifest requests a permission. */
    static boolean isRequested(String permission) {
        if (requested == null) {
            Application app = RuntimeEnvironment.getApplication();
            if (app == null || app.getBaseContext() == null) {
                return false; // the framework asks while it starts
            }
            requested = requests(app);
        }
        return requested.contains(permission);
    }

    /**
     * Throws as a phone does if the app lacks a permission.
     *
     * @param permission its name
     * @param service who asks for it, or null
     */
    static void enforce(String permission, String service) {
        RuntimeEnvironment.getApplication().enforceCallingOrSelfPermission(permission, service);
    }

    /**
     * Throws as a phone does if the app lacks a permission of Bluetooth.
     *
     * @param since12 the last word of the permission that apps for Android 12 and newer need
     * @param before the name of the one that other apps need
     */
    static void enforceBluetooth(String since12, String before) {
        boolean isNew =
                RuntimeEnvironment.getApplication().getApplicationInfo().targetSdkVersion >= Build.VERSION_CODES.S;
        enforce("android.permission." + (isNew ? "BLUETOOTH_" + since12 : before), null);
    }

    private static Set<String> requests(Application app) {
        try {
            PackageInfo info =
                    app.getPackageManager().getPackageInfo(app.getPackageName(), PackageManager.GET_PERMISSIONS);
            return info.requestedPermissions == null
                    ? Set.of()
                    : new HashSet<>(Arrays.asList(info.requestedPermissions));
        } catch (PackageManager.NameNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /** Answers an activity's request for permissions, without a dialog; returns false for other intents. */
    static boolean answer(Activity activity, String target, Intent intent, int requestCode) {
        if (!REQUEST.equals(intent.getAction())) {
            return false;
        }
        String[] names = intent.getStringArrayExtra(NAMES);
        int[] results =
                Arrays.stream(names).mapToInt(activity::checkSelfPermission).toArray();
        Intent result = new Intent(REQUEST).putExtra(NAMES, names).putExtra(RESULTS, results);
        new Handler(Looper.getMainLooper()).post(() -> {
            ShadowActivity shadow = Shadow.extract(activity);
            shadow.internalCallDispatchActivityResult(target, requestCode, Activity.RESULT_OK, result);
        });
        return true;
    }
}
