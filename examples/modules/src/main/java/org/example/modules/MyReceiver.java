package org.example.modules;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Gets broadcasts of the services and of Android. */
public class MyReceiver extends BroadcastReceiver {
    static final String DONE = "org.example.modules.DONE";

    @Override
    public void onReceive(Context context, Intent intent) {
        Work.primes(DONE.equals(intent.getAction()) ? 2_000 : 10_000);
    }
}
