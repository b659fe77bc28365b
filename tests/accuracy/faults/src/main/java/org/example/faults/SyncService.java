package org.example.faults;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.app.Service;
import android.content.Context;
import android.content.Intent;
import android.os.IBinder;
import android.os.SystemClock;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Synchronizes on its own thread. Faulty: a repeating alarm starts it every minute. Fixed: every 15 minutes. */
public class SyncService extends Service {
    private static final long MINUTE_MS = 60_000;
    private static final ExecutorService WORKER = Executors.newSingleThreadExecutor();

    static void set(Context context, boolean fixed) {
        long interval = fixed ? AlarmManager.INTERVAL_FIFTEEN_MINUTES : MINUTE_MS;
        long first = SystemClock.elapsedRealtime() + interval;
        AlarmManager alarms = context.getSystemService(AlarmManager.class);
        alarms.setInexactRepeating(AlarmManager.ELAPSED_REALTIME_WAKEUP, first, interval, start(context));
    }

    /** Also waits for what has begun, so that all its energy is in one reading of the rails. */
    static void cancel(Context context) {
        context.getSystemService(AlarmManager.class).cancel(start(context));
        try {
            WORKER.submit(() -> {}).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static PendingIntent start(Context context) {
        return PendingIntent.getService(context, 0, new Intent(context, SyncService.class), PendingIntent.FLAG_IMMUTABLE);
    }

    @Override
    public int onStartCommand(Intent intent, int flags, int startId) {
        WORKER.execute(() -> {
            Work.primes(Work.LIMIT);
            stopSelf(startId);
        });
        return START_NOT_STICKY;
    }

    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }
}
