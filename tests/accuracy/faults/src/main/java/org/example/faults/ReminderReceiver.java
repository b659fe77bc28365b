package org.example.faults;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.os.SystemClock;

/** Faulty: gets an exact alarm, and sets the next one in a minute. Fixed: gets an inexact alarm every 15 minutes. */
public class ReminderReceiver extends BroadcastReceiver {
    private static final long MINUTE_MS = 60_000;
    private static final String FIXED = "fixed";

    static void set(Context context, boolean fixed) {
        AlarmManager alarms = context.getSystemService(AlarmManager.class);
        long now = SystemClock.elapsedRealtime();
        if (fixed) {
            long interval = AlarmManager.INTERVAL_FIFTEEN_MINUTES;
            alarms.setInexactRepeating(AlarmManager.ELAPSED_REALTIME_WAKEUP, now + interval, interval, reminder(context, true));
        } else {
            alarms.setExactAndAllowWhileIdle(AlarmManager.ELAPSED_REALTIME_WAKEUP, now + MINUTE_MS, reminder(context, false));
        }
    }

    static void cancel(Context context) {
        context.getSystemService(AlarmManager.class).cancel(reminder(context, false));
    }

    private static PendingIntent reminder(Context context, boolean fixed) {
        Intent intent = new Intent(context, ReminderReceiver.class).putExtra(FIXED, fixed);
        return PendingIntent.getBroadcast(context, 0, intent, PendingIntent.FLAG_UPDATE_CURRENT | PendingIntent.FLAG_IMMUTABLE);
    }

    @Override
    public void onReceive(Context context, Intent intent) {
        Work.primes(Work.LIMIT);
        if (!intent.getBooleanExtra(FIXED, false)) {
            set(context, false);
        }
    }
}
