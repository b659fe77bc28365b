package org.navitas.android;

import android.app.AlarmManager;
import android.app.AlarmManager.AlarmClockInfo;
import android.app.AlarmManager.OnAlarmListener;
import android.app.PendingIntent;
import android.content.Intent;
import android.os.SystemClock;
import android.os.WorkSource;
import java.util.concurrent.Executor;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Alarms fire, by the rules of AOSP's AlarmManagerService; Robolectric only records them. */
@Implements(className = "android.app.AlarmManager")
public class AlarmShadow {
    /** AlarmManagerService: MIN_FUTURITY and MIN_INTERVAL. */
    private static final long LEAST_DELAY_MS = 5_000;

    private static final long LEAST_INTERVAL_MS = 60_000;

    /** All methods that set an alarm call this one. */
    @Implementation
    protected void setImpl(
            int type,
            long atMs,
            long windowMs,
            long intervalMs,
            int flags,
            PendingIntent operation,
            OnAlarmListener listener,
            String tag,
            Executor executor,
            WorkSource source,
            AlarmClockInfo info) {
        boolean isWallTime = type == AlarmManager.RTC || type == AlarmManager.RTC_WAKEUP;
        long nowMs = isWallTime ? System.currentTimeMillis() : SystemClock.elapsedRealtime();
        long dueMs = AlarmClock.nowMs() + Math.max(atMs - nowMs, LEAST_DELAY_MS);
        if (operation == null) {
            AlarmClock.setAt(listener, dueMs, () -> executor.execute(listener::onAlarm));
        } else {
            set(operation, dueMs, intervalMs > 0 ? Math.max(intervalMs, LEAST_INTERVAL_MS) : 0);
        }
    }

    private static void set(PendingIntent operation, long dueMs, long intervalMs) {
        AlarmClock.setAt(operation, dueMs, () -> {
            if (intervalMs > 0) {
                set(operation, dueMs + intervalMs, intervalMs);
            }
            try {
                operation.send(
                        RuntimeEnvironment.getApplication(), 0, new Intent().putExtra(Intent.EXTRA_ALARM_COUNT, 1));
            } catch (PendingIntent.CanceledException e) {
                AlarmClock.cancel(operation);
            }
        });
    }

    @Implementation
    protected void cancel(PendingIntent operation) {
        if (operation != null) {
            AlarmClock.cancel(operation);
        }
    }

    @Implementation
    protected void cancel(OnAlarmListener listener) {
        if (listener == null) {
            throw new NullPointerException("cancel() called with a null OnAlarmListener");
        }
        AlarmClock.cancel(listener);
    }

    /** The phone grants permissions. */
    @Implementation
    protected boolean canScheduleExactAlarms() {
        return true;
    }
}
