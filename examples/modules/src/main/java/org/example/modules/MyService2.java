package org.example.modules;

import android.app.Service;
import android.content.Intent;
import android.os.IBinder;

/** A service that AlarmManager starts every minute. */
public class MyService2 extends Service {
    @Override
    public int onStartCommand(Intent intent, int flags, int startId) {
        Work.primes(40_000);
        sendBroadcast(new Intent(this, MyReceiver.class).setAction(MyReceiver.DONE));
        stopSelf(startId);
        return START_NOT_STICKY;
    }

    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }
}
