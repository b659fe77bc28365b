package org.navitas.android;

import android.app.Activity;
import android.app.Application;
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

/**
 * The instrumentation of the phone's app process. It starts activities that the app starts; Robolectric only records
 * them.
 */
final class PhoneInstrumentation extends RoboMonitoringInstrumentation {
    private static PhoneInstrumentation instance;

    /** Created on first use: reading an APK's resources takes time. */
    private Context tests;

    PhoneInstrumentation() {
        instance = this;
    }

    static PhoneInstrumentation get() {
        return instance;
    }

    @Override
    public void callApplicationOnCreate(Application app) {
        Providers.install(app);
        super.callApplicationOnCreate(app);
    }

    /** Returns the context of the test package. An app without tests is its own test package. */
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

    /**
     * Posts a message and waits for it. Robolectric handles its message at once, and a due frame delays other messages.
     */
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

    /** Returns when the main thread is idle (AOSP: Instrumentation.waitForIdleSync). */
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
        new Handler(Looper.getMainLooper()).post(() -> {}); // a waiting looper does not run idle handlers
        try {
            idle.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts an activity for the test, above the others. */
    @Override
    public Activity startActivitySync(Intent intent) {
        return startActivitySync(intent, null);
    }

    @Override
    public Activity startActivitySync(Intent intent, Bundle options) {
        return Activities.launch(() -> super.startActivitySyncInternal(intent, options, null))
                .get();
    }

    /** Starts an activity for ActivityScenario, which on a phone (InstrumentationActivityInvoker) clears the task. */
    @Override
    public ActivityController<? extends Activity> startActivitySyncInternal(
            Intent intent, Bundle options, String caller) {
        return Activities.launchAlone(() -> super.startActivitySyncInternal(intent, options, caller));
    }

    @Override
    public ActivityResult execStartActivity(
            Context who,
            IBinder thread,
            IBinder token,
            Activity target,
            Intent intent,
            int requestCode,
            Bundle options) {
        ActivityResult result = super.execStartActivity(who, thread, token, target, intent, requestCode, options);
        Activities.start(intent, options, target, null, requestCode);
        return result;
    }

    @Override
    public ActivityResult execStartActivity(
            Context who, IBinder thread, IBinder token, String target, Intent intent, int requestCode, Bundle options) {
        if (who instanceof Activity && Permissions.answer((Activity) who, target, intent, requestCode)) {
            return null;
        }
        ActivityResult result = super.execStartActivity(who, thread, token, target, intent, requestCode, options);
        Activities.start(intent, options, who instanceof Activity ? (Activity) who : null, target, requestCode);
        return result;
    }
}
