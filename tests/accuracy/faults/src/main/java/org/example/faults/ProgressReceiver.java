package org.example.faults;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Hears of the progress of a download. */
public class ProgressReceiver extends BroadcastReceiver {
    @Override
    public void onReceive(Context context, Intent intent) {
        Work.primes(Work.SMALL_LIMIT);
    }
}
