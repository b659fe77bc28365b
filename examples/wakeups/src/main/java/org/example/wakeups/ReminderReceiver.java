package org.example.wakeups;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.os.SystemClock;

/** Gets an exact alarm, sets the next one, and starts an upload through a chain of pending intents. */
public class ReminderReceiver extends BroadcastReceiver {
    private static final long PERIOD_MS = 10 * 60_000;

    static void set(Context context) {
        int flags = PendingIntent.FLAG_UPDATE_CURRENT | PendingIntent.FLAG_IMMUTABLE;
        PendingIntent reminder = PendingIntent.getBroadcast(context, 0, new Intent(context, ReminderReceiver.class), flags);
        long at = SystemClock.elapsedRealtime() + PERIOD_MS;
        AlarmManager alarms = context.getSystemService(AlarmManager.class);
        alarms.setExactAndAllowWhileIdle(AlarmManager.ELAPSED_REALTIME_WAKEUP, at, reminder);
    }

    @Override
    public void onReceive(Context context, Intent intent) {
        set(context);
        int flags = PendingIntent.FLAG_UPDATE_CURRENT | PendingIntent.FLAG_IMMUTABLE;
        Intent screen = new Intent(context, MainActivity.class);
        screen.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK | Intent.FLAG_ACTIVITY_SINGLE_TOP);
        Intent upload = new Intent(context, UploadService.class);
        upload.putExtra(UploadService.COMPLETE, PendingIntent.getActivity(context, 0, screen, flags));
        try {
            PendingIntent.getForegroundService(context, 0, upload, flags).send();
        } catch (PendingIntent.CanceledException e) {
            throw new IllegalStateException(e);
        }
    }
}
