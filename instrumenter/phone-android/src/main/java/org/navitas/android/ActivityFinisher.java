package org.navitas.android;

import android.os.Handler;
import android.os.Looper;
import android.util.Log;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.runner.Description;
import org.junit.runner.notification.RunListener;

/**
 * Finishes the activities that a test left before the next test starts. AndroidJUnitRunner adds AndroidX Test's
 * ActivityFinisherRunListener likewise, before the listeners of its arguments.
 */
public final class ActivityFinisher extends RunListener {
    private static final int LONGEST_S = 2;

    @Override
    public void testStarted(Description description) throws InterruptedException {
        finish();
    }

    @Override
    public void testFinished(Description description) throws InterruptedException {
        finish();
    }

    /**
     * Runs on the main thread, where an exception of an activity ends the process. Does not wait for a blocked thread.
     */
    private static void finish() throws InterruptedException {
        Handler main = new Handler(Looper.getMainLooper());
        CountDownLatch finished = new CountDownLatch(1);
        Runnable finisher = () -> {
            Activities.finishAll();
            finished.countDown();
        };
        main.post(finisher);
        if (!finished.await(LONGEST_S, TimeUnit.SECONDS)) {
            Log.w("ActivityFinisher", "the main thread is blocked: activities of the previous test are not finished");
            main.removeCallbacks(finisher);
        }
    }
}
