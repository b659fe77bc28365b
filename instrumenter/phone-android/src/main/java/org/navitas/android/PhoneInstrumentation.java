package org.navitas.android;

import android.app.Activity;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.IBinder;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.android.internal.RoboMonitoringInstrumentation;

/** The instrumentation of the phone's one app process: an activity that the app starts is started, where Robolectric notes it. */
final class PhoneInstrumentation extends RoboMonitoringInstrumentation {
    private static PhoneInstrumentation instance;

    PhoneInstrumentation() {
        instance = this;
    }

    static PhoneInstrumentation get() {
        return instance;
    }

    @Override
    public ActivityController<? extends Activity> startActivitySyncInternal(Intent intent, Bundle options, String caller) {
        ActivityController<? extends Activity> controller = super.startActivitySyncInternal(intent, options, caller);
        Activities.launched(controller);
        return controller;
    }

    /** Starts an activity without telling {@link Activities}, which does it itself. */
    ActivityController<? extends Activity> startQuietly(Intent intent, Bundle options) {
        return super.startActivitySyncInternal(intent, options, getTargetContext().getPackageName());
    }

    @Override
    public ActivityResult execStartActivity(
            Context who, IBinder thread, IBinder token, Activity target, Intent intent, int requestCode, Bundle options) {
        ActivityResult result = super.execStartActivity(who, thread, token, target, intent, requestCode, options);
        Activities.start(intent, options, target, null, requestCode);
        return result;
    }

    @Override
    public ActivityResult execStartActivity(
            Context who, IBinder thread, IBinder token, String target, Intent intent, int requestCode, Bundle options) {
        ActivityResult result = super.execStartActivity(who, thread, token, target, intent, requestCode, options);
        Activities.start(intent, options, who instanceof Activity ? (Activity) who : null, target, requestCode);
        return result;
    }
}
