package org.example.faults;

import android.app.Service;
import android.content.Intent;
import android.os.IBinder;
import android.os.SystemClock;

/** Makes five steps a second for twelve seconds. Faulty: broadcasts each step. Fixed: broadcasts once a second. */
public class DownloadService extends Service {
    static final String FIXED = "fixed";
    private static final int STEPS = 60;
    private static final int STEPS_PER_SECOND = 5;

    @Override
    public int onStartCommand(Intent intent, int flags, int startId) {
        int stepsPerBroadcast = intent.getBooleanExtra(FIXED, false) ? STEPS_PER_SECOND : 1;
        new Thread(() -> {
            download(stepsPerBroadcast);
            stopSelf(startId);
        }, "download").start();
        return START_NOT_STICKY;
    }

    private void download(int stepsPerBroadcast) {
        long start = SystemClock.elapsedRealtime();
        for (int step = 0; step < STEPS; step++) {
            SystemClock.sleep(Math.max(0, start + step * 1000 / STEPS_PER_SECOND - SystemClock.elapsedRealtime()));
            if (step % stepsPerBroadcast == 0) {
                sendBroadcast(new Intent(this, ProgressReceiver.class));
            }
        }
    }

    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }
}
