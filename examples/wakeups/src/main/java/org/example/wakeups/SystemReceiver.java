package org.example.wakeups;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Schedules the jobs again after a boot. From Android 8 on, it does not get BATTERY_LOW, since it is in the manifest. */
public class SystemReceiver extends BroadcastReceiver {
    @Override
    public void onReceive(Context context, Intent intent) {
        SyncJob.schedule(context);
    }
}
