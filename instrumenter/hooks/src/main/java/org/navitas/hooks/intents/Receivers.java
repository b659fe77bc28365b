package org.navitas.hooks.intents;

import android.app.Activity;
import android.app.IntentService;
import android.app.Service;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.PersistableBundle;
import java.lang.reflect.InvocationTargetException;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/**
 * What components call at the start of the callbacks in which they receive intents: the instrumenter inserts it in
 * methods with these names and parameters, of any class. Removes the token, also if nothing is recorded: an intent of an
 * earlier, recorded process can arrive later. Records each delivery once, although a callback can call the one above.
 */
public final class Receivers {
    /** Uids below are those of the system (AOSP: Process.FIRST_APPLICATION_UID). */
    private static final int FIRST_APP = 10_000;
    /** Each user of the device has as many uids (AOSP: UserHandle.PER_USER_RANGE). */
    private static final int UIDS_OF_A_USER = 100_000;

    private Receivers() {}

    /** Called at the start of {@link Activity#onCreate(Bundle)}. */
    public static void onCreate(Object self, Bundle state, Class<?> in) {
        if (Hook.isStarted()
                && self instanceof Activity
                && AndroidTables.CREATE.isFirst(self, in, AndroidTables.CREATE_PERSISTABLE)) {
            created((Activity) self, state);
        }
    }

    /** Called at the start of {@link Activity#onCreate(Bundle, PersistableBundle)}. */
    public static void onCreate(Object self, Bundle state, PersistableBundle persistent, Class<?> in) {
        if (Hook.isStarted() && self instanceof Activity && AndroidTables.CREATE_PERSISTABLE.isFirst(self, in)) {
            created((Activity) self, state);
        }
    }

    /** Called at the start of {@code Activity.onNewIntent}. */
    public static void onNewIntent(Object self, Intent intent, Class<?> in) {
        if (Hook.isStarted() && self instanceof Activity && AndroidTables.NEW_INTENT.isFirst(self, in)) {
            long token = Tokens.take(intent);
            received(Kind.ACTIVITY_INTENT, self, intent, token, 0);
            Results.started((Activity) self, token);
        }
    }

    /** Called at the start of {@code Activity.onActivityResult}. */
    public static void onActivityResult(Object self, int requestCode, int resultCode, Intent data, Class<?> in) {
        if (Hook.records() && self instanceof Activity && AndroidTables.RESULT.isFirst(self, in)) {
            received(Kind.ACTIVITY_RESULT, self, data, Results.answered((Activity) self, requestCode), 0);
        }
    }

    /** Called at the start of {@link Service#onStartCommand}. */
    public static void onStartCommand(Object self, Intent intent, int flags, int startId, Class<?> in) {
        if (Hook.isStarted() && self instanceof Service && AndroidTables.START_COMMAND.isFirst(self, in)) {
            received(Kind.SERVICE_START, self, intent, Tokens.take(intent), 0);
        }
    }

    /** Called at the start of {@code Service.onStart}. */
    public static void onStart(Object self, Intent intent, int startId, Class<?> in) {
        if (Hook.isStarted()
                && self instanceof Service
                && AndroidTables.START.isFirst(self, in, AndroidTables.START_COMMAND)) {
            received(Kind.SERVICE_START, self, intent, Tokens.take(intent), 0);
        }
    }

    /** Called at the start of {@code IntentService.onHandleIntent}. */
    @SuppressWarnings("deprecation")
    public static void onHandleIntent(Object self, Intent intent, Class<?> in) {
        if (Hook.isStarted()
                && self instanceof IntentService
                && AndroidTables.HANDLE.isFirst(self, in, AndroidTables.START_COMMAND, AndroidTables.START)) {
            received(Kind.SERVICE_START, self, intent, Tokens.take(intent), 0);
        }
    }

    /** Called at the start of {@link Service#onBind}. */
    public static void onBind(Object self, Intent intent, Class<?> in) {
        if (Hook.isStarted() && self instanceof Service && AndroidTables.BIND.isFirst(self, in)) {
            received(Kind.SERVICE_BIND, self, intent, Tokens.take(intent), 0);
        }
    }

    /** Called at the start of {@link Service#onUnbind}, which gets the intent of the first binding again. */
    public static void onUnbind(Object self, Intent intent, Class<?> in) {
        forget(self, intent);
    }

    /** Called at the start of {@link Service#onRebind}, which gets the intent of the first binding again. */
    public static void onRebind(Object self, Intent intent, Class<?> in) {
        forget(self, intent);
    }

    /** Called at the start of {@link Service#onTaskRemoved}, which gets the intent of the task's first activity. */
    public static void onTaskRemoved(Object self, Intent intent, Class<?> in) {
        forget(self, intent);
    }

    /** Called at the start of {@link BroadcastReceiver#onReceive}. */
    public static void onReceive(Object self, Context context, Intent intent, Class<?> in) {
        if (Hook.isStarted() && self instanceof BroadcastReceiver && AndroidTables.RECEIVE.isFirst(self, in)) {
            long token = Tokens.take(intent);
            if (Hook.records()) {
                received(
                        Kind.RECEIVE,
                        self,
                        intent,
                        token == 0 ? LocalBroadcasts.tokenOf(intent) : token,
                        isFromSystem((BroadcastReceiver) self) ? Kind.FROM_SYSTEM : 0);
            }
        }
    }

    /** An activity that is made again, with its state, receives nothing. */
    private static void created(Activity activity, Bundle state) {
        long token = Tokens.take(activity.getIntent());
        Tokens.ownPackage(activity);
        Results.started(activity, token);
        if (state == null) {
            received(Kind.ACTIVITY_INTENT, activity, activity.getIntent(), token, 0);
        }
    }

    private static void received(int kind, Object self, Intent intent, long token, int flags) {
        Hook.communication(
                Hook.now(), token, flags << 16 | kind, 0, self.getClass().getName(), "", Sent.actionOf(intent));
    }

    private static void forget(Object self, Intent intent) {
        if (self instanceof Service) {
            Tokens.take(intent);
        }
    }

    private static boolean isFromSystem(BroadcastReceiver receiver) {
        try {
            int uid = AndroidTables.SENT_FROM == null ? -1 : (Integer) AndroidTables.SENT_FROM.invoke(receiver);
            return isSystem(uid);
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }

    /** Returns whether a uid is the system's, of any user. */
    static boolean isSystem(int uid) {
        return uid >= 0 && uid % UIDS_OF_A_USER < FIRST_APP;
    }
}
