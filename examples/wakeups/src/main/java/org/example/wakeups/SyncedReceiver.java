package org.example.wakeups;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Hears of each synchronization while the screen exists. */
public class SyncedReceiver extends BroadcastReceiver {
    @Override
    public void onReceive(Context context, Intent intent) {
        Work.primes(2_000);
    }
}
