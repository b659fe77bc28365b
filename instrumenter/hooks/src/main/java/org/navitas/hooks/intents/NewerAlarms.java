package org.navitas.hooks.intents;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.os.Handler;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of alarms of Android 6 and 7. Their receivers get the pending intent's token. */
@NewerPlatform
public final class NewerAlarms {
    private NewerAlarms() {}

    /** Hook of {@link AlarmManager#setAndAllowWhileIdle}. */
    public static void setAndAllowWhileIdle(AlarmManager manager, int type, long at, PendingIntent operation) {
        long start = Hook.now();
        manager.setAndAllowWhileIdle(type, at, operation);
        Alarms.set(start, Alarms.wakes(type), 0, operation);
    }

    /** Hook of {@link AlarmManager#setExactAndAllowWhileIdle}. */
    public static void setExactAndAllowWhileIdle(AlarmManager manager, int type, long at, PendingIntent operation) {
        long start = Hook.now();
        manager.setExactAndAllowWhileIdle(type, at, operation);
        Alarms.set(start, Alarms.wakes(type) | Kind.EXACT, 0, operation);
    }

    /** Hook of {@code AlarmManager#set} with a listener, which no intent reaches. */
    public static void set(
            AlarmManager manager,
            int type,
            long at,
            String tag,
            AlarmManager.OnAlarmListener listener,
            Handler handler) {
        long start = Hook.now();
        manager.set(type, at, tag, listener, handler);
        listening(start, Alarms.wakes(type), tag, listener);
    }

    /** Hook of {@code AlarmManager#setExact} with a listener, which no intent reaches. */
    public static void setExact(
            AlarmManager manager,
            int type,
            long at,
            String tag,
            AlarmManager.OnAlarmListener listener,
            Handler handler) {
        long start = Hook.now();
        manager.setExact(type, at, tag, listener, handler);
        listening(start, Alarms.wakes(type) | Kind.EXACT, tag, listener);
    }

    /** Hook of {@code AlarmManager#setWindow} with a listener, which no intent reaches. */
    public static void setWindow(
            AlarmManager manager,
            int type,
            long at,
            long lengthMs,
            String tag,
            AlarmManager.OnAlarmListener listener,
            Handler handler) {
        long start = Hook.now();
        manager.setWindow(type, at, lengthMs, tag, listener, handler);
        listening(start, Alarms.wakes(type), tag, listener);
    }

    /** Hook of {@link AlarmManager#cancel(AlarmManager.OnAlarmListener)}. */
    public static void cancel(AlarmManager manager, AlarmManager.OnAlarmListener listener) {
        long start = Hook.now();
        manager.cancel(listener);
        if (start != 0 && listener != null) {
            Hook.communication(
                    start, 0, Kind.CANCEL_ALARM, 0, "", listener.getClass().getName(), "");
        }
    }

    private static void listening(long start, int flags, String tag, AlarmManager.OnAlarmListener listener) {
        if (start != 0 && listener != null) {
            Hook.communication(
                    start,
                    0,
                    flags << 16 | Kind.SET_ALARM,
                    0,
                    "",
                    listener.getClass().getName(),
                    tag == null ? "" : tag);
        }
    }
}
