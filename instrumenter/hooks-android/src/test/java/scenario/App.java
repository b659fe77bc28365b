package scenario;

import android.app.Activity;
import android.app.AlarmManager;
import android.app.IntentService;
import android.app.PendingIntent;
import android.app.Service;
import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import android.appwidget.AppWidgetManager;
import android.appwidget.AppWidgetProvider;
import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.ContentProvider;
import android.content.ContentValues;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.database.Cursor;
import android.net.Uri;
import android.os.Bundle;
import android.os.IBinder;
import java.util.ArrayList;
import java.util.List;

/** An app whose classes the test instruments. What its callbacks see of extras is in {@link #SEEN}. */
public final class App {
    public static final List<String> SEEN = new ArrayList<>();

    private App() {}

    static void see(String where, Intent intent) {
        SEEN.add(where + " "
                + (intent == null
                        ? "no intent"
                        : intent.getExtras() == null
                                ? "null"
                                : intent.getExtras().keySet()));
    }

    public abstract static class Base extends Activity {
        @Override
        protected void onCreate(Bundle state) {
            super.onCreate(state);
            see("Base", getIntent());
        }
    }

    public static class Main extends Base {
        @Override
        protected void onCreate(Bundle state) {
            see("Main", getIntent());
            super.onCreate(state);
        }

        @Override
        protected void onNewIntent(Intent intent) {
            see("Main.new", intent);
        }

        @Override
        protected void onActivityResult(int requestCode, int resultCode, Intent data) {
            see("Main.result", data);
        }

        public void open(Intent intent) {
            startActivity(intent);
        }

        public void ask(Intent intent, int code) {
            startActivityForResult(intent, code);
        }

        public void answer(Intent data) {
            setResult(RESULT_OK, data);
        }

        public ComponentName start(Intent intent) {
            return startService(intent);
        }

        public boolean bind(Intent intent, ServiceConnection connection) {
            return bindService(intent, connection, Context.BIND_AUTO_CREATE);
        }

        public void broadcast(Intent intent) {
            sendBroadcast(intent);
        }

        public PendingIntent service(int code, Intent intent, int flags) {
            return PendingIntent.getService(this, code, intent, flags);
        }

        public void repeat(PendingIntent intent, long period) {
            getSystemService(AlarmManager.class).setRepeating(AlarmManager.RTC_WAKEUP, 1000, period, intent);
        }

        public void exact(PendingIntent intent) {
            getSystemService(AlarmManager.class).setExact(AlarmManager.RTC, 1000, intent);
        }

        public int schedule(JobInfo job) {
            return getSystemService(JobScheduler.class).schedule(job);
        }

        public Cursor query(Uri uri) {
            return getContentResolver().query(uri, null, null, null, null);
        }

        public Uri insert(Uri uri) {
            return getContentResolver().insert(uri, new ContentValues());
        }
    }

    /** A screen without callbacks. */
    public static class Bare extends Activity {
        public void ask(Intent intent, int code) {
            startActivityForResult(intent, code);
        }
    }

    /** A screen whose callback calls the one that its base class lacks. */
    public static class OverBare extends Bare {
        @Override
        protected void onNewIntent(Intent intent) {
            see("OverBare.new", intent);
            super.onNewIntent(intent);
        }
    }

    /** A widget that gets its broadcasts from Android's class. */
    public static class Widget extends AppWidgetProvider {
        @Override
        public void onUpdate(Context context, AppWidgetManager manager, int[] ids) {
            SEEN.add("Widget.update");
        }
    }

    /** Code of the app that could see what is sent. */
    public static class Curious extends Main {
        @Override
        public void startActivity(Intent intent) {
            see("Curious", intent);
            super.startActivity(intent);
        }
    }

    public static class Work extends Service {
        @Override
        public int onStartCommand(Intent intent, int flags, int startId) {
            see("Work", intent);
            return super.onStartCommand(intent, flags, startId);
        }

        @Override
        public void onStart(Intent intent, int startId) {
            see("Work.start", intent);
        }

        @Override
        public IBinder onBind(Intent intent) {
            see("Work.bind", intent);
            return new android.os.Binder();
        }

        @Override
        public boolean onUnbind(Intent intent) {
            see("Work.unbind", intent);
            return true;
        }

        @Override
        public void onDestroy() {
            SEEN.add("Work.destroy");
            super.onDestroy();
        }
    }

    /** A subclass whose callbacks call those above. */
    public static class MoreWork extends Work {
        @Override
        public int onStartCommand(Intent intent, int flags, int startId) {
            return super.onStartCommand(intent, flags, startId);
        }

        @Override
        public void onDestroy() {
            super.onDestroy();
        }
    }

    @SuppressWarnings("deprecation")
    public static class Queue extends IntentService {
        public Queue() {
            super("queue");
        }

        @Override
        protected void onHandleIntent(Intent intent) {
            see("Queue", intent);
        }
    }

    public static class Receiver extends BroadcastReceiver {
        @Override
        public void onReceive(Context context, Intent intent) {
            see("Receiver", intent);
        }
    }

    public static class Job extends JobService {
        @Override
        public boolean onStartJob(JobParameters parameters) {
            SEEN.add("Job " + (parameters == null ? "" : parameters.getJobId()));
            return false;
        }

        @Override
        public boolean onStopJob(JobParameters parameters) {
            return false;
        }
    }

    public static class Provider extends ContentProvider {
        @Override
        public boolean onCreate() {
            return true;
        }

        @Override
        public Cursor query(Uri uri, String[] columns, String selection, String[] arguments, String order) {
            SEEN.add("query");
            return null;
        }

        @Override
        public Cursor query(
                Uri uri,
                String[] columns,
                String selection,
                String[] arguments,
                String order,
                android.os.CancellationSignal signal) {
            return super.query(uri, columns, selection, arguments, order, signal);
        }

        @Override
        public String getType(Uri uri) {
            return null;
        }

        @Override
        public Uri insert(Uri uri, ContentValues values) {
            throw new IllegalStateException("refused");
        }

        @Override
        public int update(Uri uri, ContentValues values, String where, String[] arguments) {
            return 0;
        }

        @Override
        public int delete(Uri uri, String where, String[] arguments) {
            return 0;
        }
    }
}
