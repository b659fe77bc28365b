package org.navitas.hooks.intents;

import android.app.AlarmManager;
import android.app.PendingIntent;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/** Hooks of alarms. Their receivers get the pending intent's token. */
public final class Alarms {
    private Alarms() {}

    /** Hook of {@link AlarmManager#set(int, long, PendingIntent)}. */
    public static void set(AlarmManager manager, int type, long at, PendingIntent operation) {
        long start = Hook.now();
        manager.set(type, at, operation);
        set(start, wakes(type), 0, operation);
    }

    /** Hook of {@link AlarmManager#setExact(int, long, PendingIntent)}. */
    public static void setExact(AlarmManager manager, int type, long at, PendingIntent operation) {
        long start = Hook.now();
        manager.setExact(type, at, operation);
        set(start, wakes(type) | Kind.EXACT, 0, operation);
    }

    /** Hook of {@link AlarmManager#setWindow(int, long, long, PendingIntent)}. */
    public static void setWindow(AlarmManager manager, int type, long at, long lengthMs, PendingIntent operation) {
        long start = Hook.now();
        manager.setWindow(type, at, lengthMs, operation);
        set(start, wakes(type), 0, operation);
    }

    /** Hook of {@link AlarmManager#setRepeating}. */
    public static void setRepeating(AlarmManager manager, int type, long at, long intervalMs, PendingIntent operation) {
        long start = Hook.now();
        manager.setRepeating(type, at, intervalMs, operation);
        set(start, wakes(type) | Kind.PERIODIC, intervalMs, operation);
    }

    /** Hook of {@link AlarmManager#setInexactRepeating}. */
    public static void setInexactRepeating(
            AlarmManager manager, int type, long at, long intervalMs, PendingIntent operation) {
        long start = Hook.now();
        manager.setInexactRepeating(type, at, intervalMs, operation);
        set(start, wakes(type) | Kind.PERIODIC, intervalMs, operation);
    }

    /** Hook of {@link AlarmManager#setAlarmClock}. */
    public static void setAlarmClock(AlarmManager manager, AlarmManager.AlarmClockInfo info, PendingIntent operation) {
        long start = Hook.now();
        manager.setAlarmClock(info, operation);
        set(start, Kind.WAKE_UP | Kind.EXACT, 0, operation);
    }

    /** Hook of {@link AlarmManager#cancel(PendingIntent)}. */
    public static void cancel(AlarmManager manager, PendingIntent operation) {
        long start = Hook.now();
        manager.cancel(operation);
        PendingIntents.cancelled(start, Kind.CANCEL_ALARM, operation);
    }

    static void set(long start, int flags, long periodMs, PendingIntent operation) {
        PendingIntents.used(start, Kind.SET_ALARM, flags, periodMs, null, operation);
    }

    /** Returns the flag of alarms that wake the device. */
    static int wakes(int type) {
        return type == AlarmManager.RTC_WAKEUP || type == AlarmManager.ELAPSED_REALTIME_WAKEUP ? Kind.WAKE_UP : 0;
    }
}
