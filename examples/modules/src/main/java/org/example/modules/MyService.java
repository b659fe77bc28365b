package org.example.modules;

import android.app.Service;
import android.content.Intent;
import android.os.IBinder;

/** A service that activities start. */
public class MyService extends Service {
    @Override
    public int onStartCommand(Intent intent, int flags, int startId) {
        Work.primes(20_000);
        sendBroadcast(new Intent(this, MyReceiver.class).setAction(MyReceiver.DONE));
        stopSelf(startId);
        return START_NOT_STICKY;
    }

    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }
}
