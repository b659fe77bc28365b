package org.navitas.hooks.intents;

import android.app.job.JobParameters;
import android.content.BroadcastReceiver;
import android.content.ContentValues;
import android.content.Context;
import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import android.os.CancellationSignal;
import android.os.PersistableBundle;
import java.lang.reflect.Method;

/** Callbacks of Android, as constants. To be used once {@link org.navitas.runtime.Hook#isStarted} is true; see {@link IntentTables}. */
public final class AndroidTables {
    static final Callback CREATE = new Callback("onCreate", Bundle.class);
    static final Callback CREATE_PERSISTABLE = new Callback("onCreate", Bundle.class, PersistableBundle.class);
    static final Callback NEW_INTENT = new Callback("onNewIntent", Intent.class);
    static final Callback RESULT = new Callback("onActivityResult", int.class, int.class, Intent.class);
    static final Callback START_COMMAND = new Callback("onStartCommand", Intent.class, int.class, int.class);
    static final Callback START = new Callback("onStart", Intent.class, int.class);
    static final Callback HANDLE = new Callback("onHandleIntent", Intent.class);
    static final Callback BIND = new Callback("onBind", Intent.class);
    static final Callback UNBIND = new Callback("onUnbind", Intent.class);
    static final Callback REBIND = new Callback("onRebind", Intent.class);
    static final Callback DESTROY = new Callback("onDestroy");
    static final Callback RECEIVE = new Callback("onReceive", Context.class, Intent.class);
    public static final Callback START_JOB = new Callback("onStartJob", JobParameters.class);

    public static final Callback QUERY_BUNDLE =
            new Callback("query", Uri.class, String[].class, Bundle.class, CancellationSignal.class);
    public static final Callback QUERY_SIGNAL = new Callback(
            "query", Uri.class, String[].class, String.class, String[].class, String.class, CancellationSignal.class);
    public static final Callback QUERY =
            new Callback("query", Uri.class, String[].class, String.class, String[].class, String.class);
    public static final Callback INSERT_BUNDLE = new Callback("insert", Uri.class, ContentValues.class, Bundle.class);
    public static final Callback INSERT = new Callback("insert", Uri.class, ContentValues.class);
    public static final Callback UPDATE_BUNDLE = new Callback("update", Uri.class, ContentValues.class, Bundle.class);
    public static final Callback UPDATE =
            new Callback("update", Uri.class, ContentValues.class, String.class, String[].class);
    public static final Callback DELETE_BUNDLE = new Callback("delete", Uri.class, Bundle.class);
    public static final Callback DELETE = new Callback("delete", Uri.class, String.class, String[].class);
    public static final Callback CALL_AUTHORITY =
            new Callback("call", String.class, String.class, String.class, Bundle.class);
    public static final Callback CALL = new Callback("call", String.class, String.class, Bundle.class);

    /**
     * By kind of receiver, such as {@link Components#ACTIVITY}: the callbacks of which a receiver needs one, and those in
     * which it can see the intent.
     */
    static final Callback[][][] BY_RECEIVER = {
        {{CREATE, CREATE_PERSISTABLE}, {NEW_INTENT}},
        {{START_COMMAND, START, HANDLE}, {}},
        {{BIND}, {UNBIND, REBIND}},
        {{RECEIVE}, {}},
    };

    /** The uid of a broadcast's sender, from Android 14 on; -1 if the sender does not share it. */
    static final Method SENT_FROM = sentFrom();

    private AndroidTables() {}

    private static Method sentFrom() {
        try {
            return BroadcastReceiver.class.getMethod("getSentFromUid");
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
