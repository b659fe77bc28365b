package org.navitas.android;

import android.app.Activity;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.android.internal.RoboMonitoringInstrumentation;

/** The instrumentation of the phone's one app process: an activity that the app starts is started, where Robolectric notes it. */
final class PhoneInstrumentation extends RoboMonitoringInstrumentation {
    private static PhoneInstrumentation instance;

    /** Made on the first use: reading an APK's resources takes time. */
    private Context tests;

    PhoneInstrumentation() {
        instance = this;
    }

    static PhoneInstrumentation get() {
        return instance;
    }

    /** The tests' own package; an app without tests is its own. */
    @Override
    public Context getContext() {
        String apk = System.getProperty("navitas.android.testApk");
        if (apk == null) {
            return super.getContext();
        }
        synchronized (this) {
            if (tests == null) {
                tests = new TestContext(super.getContext(), apk);
            }
            return tests;
        }
    }

    /** Waits for a message of its own: Robolectric's way looks for it at once, and a frame that is due keeps others back. */
    @Override
    public void runOnMainSync(Runnable runnable) {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            runnable.run();
            return;
        }
        FutureTask<Void> task = new FutureTask<>(runnable, null);
        new Handler(Looper.getMainLooper()).post(task);
        try {
            task.get();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error) {
                throw (Error) e.getCause();
            }
            throw e.getCause() instanceof RuntimeException
                    ? (RuntimeException) e.getCause()
                    : new IllegalStateException(e.getCause());
        }
    }

    /** Returns when the main thread has nothing left to do (AOSP: Instrumentation.waitForIdleSync). */
    @Override
    public void waitForIdleSync() {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            super.waitForIdleSync();
            return;
        }
        CountDownLatch idle = new CountDownLatch(1);
        Looper.getMainLooper().getQueue().addIdleHandler(() -> {
            idle.countDown();
            return false;
        });
        new Handler(Looper.getMainLooper()).post(() -> {}); // a waiting looper does not look at idle handlers
        try {
            idle.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** By the test itself: above the activities that are there. */
    @Override
    public Activity startActivitySync(Intent intent) {
        return startActivitySync(intent, null);
    }

    @Override
    public Activity startActivitySync(Intent intent, Bundle options) {
        return Activities.launch(() -> super.startActivitySyncInternal(intent, options, null)).get();
    }

    /** By ActivityScenario, which on a phone (InstrumentationActivityInvoker) clears the task. */
    @Override
    public ActivityController<? extends Activity> startActivitySyncInternal(Intent intent, Bundle options, String caller) {
        return Activities.launchAlone(() -> super.startActivitySyncInternal(intent, options, caller));
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
