package org.navitas.android;

import android.os.Handler;
import android.os.Looper;
import android.util.Log;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.runner.Description;
import org.junit.runner.notification.RunListener;

/**
 * Finishes what activities a test left, before the next one (AndroidX Test: ActivityFinisherRunListener, which AndroidJUnitRunner
 * adds before the listeners of its arguments).
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

    /** On the main thread, where what an activity throws ends the process; a thread that is blocked is not waited for. */
    private static void finish() throws InterruptedException {
        Handler main = new Handler(Looper.getMainLooper());
        CountDownLatch finished = new CountDownLatch(1);
        Runnable finisher = () -> {
            Activities.finishAll();
            finished.countDown();
        };
        main.post(finisher);
        if (!finished.await(LONGEST_S, TimeUnit.SECONDS)) {
            Log.w("ActivityFinisher", "the main thread is blocked: activities of the test before are not finished");
            main.removeCallbacks(finisher);
        }
    }
}
