package org.navitas.hooks.intents;

import static org.robolectric.Shadows.shadowOf;

import android.app.Activity;
import android.app.Application;
import android.app.Service;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Parcel;
import org.junit.Before;
import org.junit.runner.RunWith;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;

/** Modules with what the instrumenter inserts, and without it, between which tests send intents. */
@RunWith(AndroidRunner.class)
@Config(sdk = 33, manifest = Config.NONE)
public abstract class ModulesOfTestedApp {
    static final String EXTRA = "org.navitas.token";
    final Application app = RuntimeEnvironment.getApplication();

    /** An activity with what the instrumenter inserts. */
    public static class Target extends Activity {
        @Override
        @Received
        protected void onCreate(Bundle state) {
            Receivers.onCreate(this, state, Target.class);
            super.onCreate(state);
        }

        @Override
        @Received
        protected void onNewIntent(Intent intent) {
            Receivers.onNewIntent(this, intent, Target.class);
        }

        @Override
        @Received
        protected void onActivityResult(int requestCode, int resultCode, Intent data) {
            Receivers.onActivityResult(this, requestCode, resultCode, data, Target.class);
        }
    }

    /** An activity that the instrumenter did not change. */
    public static class Plain extends Activity {
        @Override
        protected void onCreate(Bundle state) {
            super.onCreate(state);
        }
    }

    /** An activity that has no code of its own at its start. */
    public static class Bare extends Activity {}

    public static class Worker extends Service {
        @Override
        @Received
        public int onStartCommand(Intent intent, int flags, int startId) {
            Receivers.onStartCommand(this, intent, flags, startId, Worker.class);
            return START_NOT_STICKY;
        }

        @Override
        @Received
        public android.os.IBinder onBind(Intent intent) {
            Receivers.onBind(this, intent, Worker.class);
            return null;
        }
    }

    public static class PlainWorker extends Service {
        @Override
        public android.os.IBinder onBind(Intent intent) {
            return null;
        }

        @Override
        public int onStartCommand(Intent intent, int flags, int startId) {
            return START_NOT_STICKY;
        }
    }

    public static class Receiver extends BroadcastReceiver {
        @Override
        @Received
        public void onReceive(Context context, Intent intent) {
            Receivers.onReceive(this, context, intent, Receiver.class);
        }
    }

    public static class PlainReceiver extends BroadcastReceiver {
        @Override
        public void onReceive(Context context, Intent intent) {}
    }

    @Before
    public void forget() throws Exception {
        Communications.next();
        shadowOf(app).clearNextStartedActivities();
        while (shadowOf(app).getNextStartedActivity() != null) {
            continue;
        }
    }

    Intent to(Class<?> type) {
        return new Intent(app, type).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
    }

    Intent started(Intent intent) {
        ActivityStarts.startActivity(app, intent);
        return shadowOf(app).getNextStartedActivity();
    }

    static Intent parcelled(Intent intent) {
        Parcel parcel = Parcel.obtain();
        intent.writeToParcel(parcel, 0);
        parcel.setDataPosition(0);
        return Intent.CREATOR.createFromParcel(parcel);
    }
}
