package org.example.modules;

import android.app.Service;
import android.content.Intent;
import android.os.Binder;
import android.os.IBinder;

/** A service to which activities bind. */
public class MyService3 extends Service {
    @Override
    public IBinder onBind(Intent intent) {
        Work.primes(20_000);
        sendBroadcast(new Intent(this, MyReceiver.class).setAction(MyReceiver.DONE));
        return new Binder();
    }
}
