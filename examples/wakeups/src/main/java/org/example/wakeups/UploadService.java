package org.example.wakeups;

import android.app.Notification;
import android.app.NotificationChannel;
import android.app.NotificationManager;
import android.app.PendingIntent;
import android.app.Service;
import android.content.Intent;
import android.os.IBinder;

/** A foreground service. Sends the pending intent that its starter has given it when the upload is complete. */
public class UploadService extends Service {
    static final String COMPLETE = "complete";
    private static final String CHANNEL = "uploads";

    @Override
    public void onCreate() {
        super.onCreate();
        NotificationManager manager = getSystemService(NotificationManager.class);
        manager.createNotificationChannel(new NotificationChannel(CHANNEL, "Uploads", NotificationManager.IMPORTANCE_LOW));
    }

    @Override
    public int onStartCommand(Intent intent, int flags, int startId) {
        startForeground(1, new Notification.Builder(this, CHANNEL).setContentTitle("Uploading").build());
        Work.primes(40_000);
        PendingIntent complete = intent.getParcelableExtra(COMPLETE);
        if (complete != null) {
            send(complete);
        }
        stopSelf(startId);
        return START_NOT_STICKY;
    }

    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }

    private static void send(PendingIntent intent) {
        try {
            intent.send();
        } catch (PendingIntent.CanceledException e) {
            throw new IllegalStateException(e);
        }
    }
}
