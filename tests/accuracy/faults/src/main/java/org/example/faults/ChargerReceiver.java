package org.example.faults;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Hears of each change of the charger while it is registered. */
public class ChargerReceiver extends BroadcastReceiver {
    @Override
    public void onReceive(Context context, Intent intent) {
        Work.primes(Work.LIMIT);
    }
}
