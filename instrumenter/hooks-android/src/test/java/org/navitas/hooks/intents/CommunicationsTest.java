package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.Activity;
import android.app.AlarmManager;
import android.app.Application;
import android.app.PendingIntent;
import android.app.Service;
import android.content.BroadcastReceiver;
import android.content.ClipData;
import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.IntentFilter;
import android.net.Uri;
import android.os.Bundle;
import android.os.Parcel;
import android.os.Parcelable;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.navitas.hooks.intents.Communications.Record;
import org.navitas.hooks.work.Chains;
import org.navitas.hooks.work.Jobs;
import org.navitas.hooks.work.Workers;
import org.navitas.hooks.work.Works;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;

/** Each rule of how tokens get from senders to receivers, with the hooks as inserted code calls them. */
@RunWith(AndroidRunner.class)
@Config(sdk = 33, manifest = Config.NONE)
public class CommunicationsTest {
    private static final String EXTRA = "org.navitas.token";
    private final Application app = RuntimeEnvironment.getApplication();

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

    /** A value whose class only the app knows; counts how often it is read. */
    public static final class Value implements Parcelable {
        static int reads;
        final int content;

        Value(int content) {
            this.content = content;
        }

        @Override
        public int describeContents() {
            return 0;
        }

        @Override
        public void writeToParcel(Parcel out, int flags) {
            out.writeInt(content);
        }

        public static final Creator<Value> CREATOR = new Creator<Value>() {
            @Override
            public Value createFromParcel(Parcel in) {
                reads++;
                return new Value(in.readInt());
            }

            @Override
            public Value[] newArray(int size) {
                return new Value[size];
            }
        };
    }

    @Before
    public void forget() throws Exception {
        Communications.next();
        shadowOf(app).clearNextStartedActivities();
        while (shadowOf(app).getNextStartedActivity() != null) {
            continue;
        }
    }

    private Intent to(Class<?> type) {
        return new Intent(app, type).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
    }

    private Intent started(Intent intent) {
        ActivityStarts.startActivity(app, intent);
        return shadowOf(app).getNextStartedActivity();
    }

    @Test
    public void explicitIntentCarriesATokenThatTheReceiverRemoves() throws Exception {
        Intent own = to(Target.class).setAction("a.OPEN");
        Intent sent = started(own);
        assertNull("the app's own object", own.getExtras());
        assertEquals(Collections.singleton(EXTRA), sent.getExtras().keySet());
        Target target = Robolectric.buildActivity(Target.class, sent).create().get();
        assertNull(target.getIntent().getExtras());
        List<Record> records = Communications.next();
        Record send = Communications.only(records, 1);
        Record receive = Communications.only(records, 32);
        assertNotEquals(0, send.token);
        assertEquals(send.token, receive.token);
        assertTrue(send.time < receive.time);
        assertEquals("1 >" + Target.class.getName() + " a.OPEN", send.toString());
        assertEquals("32 " + Target.class.getName() + "> a.OPEN", receive.toString());
    }

    @Test
    public void implicitIntentAndOtherPackageStayAsTheyAre() throws Exception {
        for (Intent each : Arrays.asList(
                new Intent(Intent.ACTION_VIEW, Uri.parse("https://example.org")),
                new Intent("x").setPackage("other.app"),
                new Intent().setComponent(new ComponentName("other.app", Target.class.getName())),
                new Intent()
                        .setComponent(new ComponentName("other.app", "other.app.Main"))
                        .setPackage(app.getPackageName()))) {
            each.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
            assertSame(each, started(each));
            Record send = Communications.only(Communications.next(), 1);
            assertEquals(0, send.token);
            assertEquals(1, send.flags);
            assertEquals("", send.target);
            Broadcasts.sendBroadcast(app, each);
            if (each.getPackage() != null || each.getComponent() != null) { // the platform refuses others
                ServiceCalls.startService(app, each);
                assertFalse(shadowOf(app).getNextStartedService().hasExtra(EXTRA));
            }
            assertNull(each.getExtras());
            List<Intent> broadcasts = shadowOf(app).getBroadcastIntents();
            assertFalse(broadcasts.get(broadcasts.size() - 1).hasExtra(EXTRA));
            for (Record record : Communications.next()) {
                assertEquals(0, record.token);
                assertEquals(1, record.flags);
            }
        }
    }

    @Test
    public void intentOfTheOwnPackageCarriesAToken() throws Exception {
        Receiver receiver = new Receiver();
        app.registerReceiver(receiver, new IntentFilter("a.PING"));
        Intent own = new Intent("a.PING").setPackage(app.getPackageName()).putExtra("count", 3);
        Broadcasts.sendBroadcast(app, own);
        org.robolectric.shadows.ShadowLooper.idleMainLooper();
        List<Record> records = Communications.next();
        assertEquals(Communications.only(records, 8).token, Communications.only(records, 36).token);
        assertEquals(Collections.singleton("count"), own.getExtras().keySet());
        app.unregisterReceiver(receiver);
    }

    @Test
    public void componentThatWouldSeeTheTokenGetsNone() throws Exception {
        for (Class<?> type : Arrays.asList(Plain.class, Bare.class, String.class)) {
            Intent own = to(type);
            assertSame(own, started(own));
            Record send = Communications.only(Communications.next(), 1);
            assertEquals(0, send.token);
            assertEquals(0, send.flags);
            assertEquals(type.getName(), send.target);
        }
        Intent gone = new Intent()
                .setComponent(new ComponentName(app, "gone.Component"))
                .addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        assertSame(gone, started(gone));
    }

    @Test
    public void broadcastThatARegisteredReceiverWouldSeeGetsNoToken() throws Exception {
        Intent own = new Intent("a.HIDDEN").setPackage(app.getPackageName());
        Broadcasts.registerReceiver(app, new PlainReceiver(), new IntentFilter("a.HIDDEN"));
        Broadcasts.sendBroadcast(app, own);
        List<Record> records = Communications.next();
        assertEquals(0, Communications.only(records, 8).token);
        assertEquals(
                "9 >" + PlainReceiver.class.getName() + " a.HIDDEN",
                Communications.only(records, 9).toString());
        Broadcasts.sendOrderedBroadcast(
                app,
                new Intent("a.OTHER").setPackage(app.getPackageName()),
                null,
                new PlainReceiver(),
                null,
                0,
                null,
                null);
        assertEquals(0, Communications.only(Communications.next(), 8).token);
    }

    @Test
    public void callsOfAndroidxAreThoseOfThePlatform() throws Exception {
        Target activity = Robolectric.buildActivity(Target.class).create().get();
        Communications.next();
        CompatibleCalls.startForegroundService(app, to(Worker.class));
        assertTrue(shadowOf(app).getNextStartedService().hasExtra(EXTRA));
        CompatibleCalls.startActivity(app, to(Target.class), null);
        assertTrue(shadowOf(app).getNextStartedActivity().hasExtra(EXTRA));
        CompatibleCalls.startActivityForResult(activity, to(Target.class), 5, null);
        PlainReceiver plain = new PlainReceiver();
        assertNull(CompatibleCalls.registerReceiver(
                app, plain, new IntentFilter("a.COMPATIBLE"), Context.RECEIVER_NOT_EXPORTED));
        List<Record> records = Communications.next();
        assertEquals(16, Communications.only(records, 4).flags);
        assertNotEquals(0, Communications.only(records, 1).token);
        assertNotEquals(0, Communications.only(records, 2).token);
        assertEquals("a.COMPATIBLE", Communications.only(records, 9).action);
        Broadcasts.sendBroadcast(app, new Intent("a.COMPATIBLE").setPackage(app.getPackageName()));
        assertEquals("the receiver would see it", 0, Communications.only(Communications.next(), 8).token);
        app.unregisterReceiver(plain);
    }

    @Test
    public void contextOfTheAppThatOverridesASendGetsTheIntentItself() throws Exception {
        Intent[] seen = new Intent[1];
        Context curious = new ContextWrapper(app) {
            @Override
            public void startActivity(Intent intent) {
                seen[0] = intent;
            }
        };
        Intent own = to(Target.class);
        ActivityStarts.startActivity(curious, own);
        assertSame(own, seen[0]);
        ActivityStarts.startActivity(new ContextWrapper(curious), own);
        assertSame("also if another context wraps it", own, seen[0]);
        for (Record record : Communications.of(Communications.next(), 1)) {
            assertEquals(0, record.token);
        }
    }

    @Test
    public void everythingElseOfTheIntentStays() throws Exception {
        Bundle nested = new Bundle();
        nested.putParcelable("value", new Value(7));
        Intent own = to(Target.class)
                .setAction("a.B")
                .setDataAndType(Uri.parse("content://x/1"), "text/plain")
                .addCategory("cat.one")
                .addCategory("cat.two")
                .addFlags(Intent.FLAG_GRANT_READ_URI_PERMISSION)
                .putExtra("nested", nested)
                .putExtra("text", "t");
        own.setSourceBounds(new android.graphics.Rect(1, 2, 3, 4));
        own.setClipData(ClipData.newRawUri("clip", Uri.parse("content://x/2")));
        own.setIdentifier("id");
        Bundle before = own.getExtras();
        Intent sent = started(own);
        assertEquals(before.keySet(), own.getExtras().keySet());
        Target target = Robolectric.buildActivity(Target.class, parcelled(sent))
                .create()
                .get();
        Intent got = target.getIntent();
        assertTrue(own.filterEquals(got));
        assertEquals(own.getFlags(), got.getFlags());
        assertEquals(own.getCategories(), got.getCategories());
        assertEquals(own.getSourceBounds(), got.getSourceBounds());
        assertEquals("id", got.getIdentifier());
        assertEquals("clip", got.getClipData().getDescription().getLabel());
        assertEquals(
                new HashSet<>(Arrays.asList("nested", "text")), got.getExtras().keySet());
        got.setExtrasClassLoader(Value.class.getClassLoader());
        Bundle inner = got.getBundleExtra("nested");
        inner.setClassLoader(Value.class.getClassLoader());
        assertEquals(7, ((Value) inner.getParcelable("value")).content);
    }

    @Test
    public void nestedParcelablesAreNotReadBeforeTheAppReadsThem() throws Exception {
        Intent own = to(Target.class).putExtra("value", new Value(8));
        Value.reads = 0;
        Intent sent = parcelled(started(own));
        sent.setExtrasClassLoader(Value.class.getClassLoader());
        Target target = Robolectric.buildActivity(Target.class, sent).create().get();
        assertEquals(0, Value.reads);
        assertEquals(8, ((Value) target.getIntent().getParcelableExtra("value")).content);
        assertEquals(1, Value.reads);
    }

    @Test
    public void selectorStays() throws Exception {
        Intent own = to(Target.class);
        own.setSelector(new Intent("a.SELECTED").addCategory("cat"));
        Target target =
                Robolectric.buildActivity(Target.class, started(own)).create().get();
        assertTrue(own.getSelector().filterEquals(target.getIntent().getSelector()));
        assertNull(target.getIntent().getExtras());
    }

    @Test
    public void extrasThatAreEmptyStayEmptyNotNull() throws Exception {
        Intent own = to(Target.class).putExtras(new Bundle());
        assertEquals(0, own.getExtras().size());
        Target target = Robolectric.buildActivity(Target.class, parcelled(started(own)))
                .create()
                .get();
        assertNotNull(target.getIntent().getExtras());
        assertEquals(0, target.getIntent().getExtras().size());
        List<Record> records = Communications.next();
        assertEquals(Communications.only(records, 1).token, Communications.only(records, 32).token);
        assertNotEquals(0, Communications.only(records, 1).token);
    }

    /** AlarmManager does this: it adds EXTRA_ALARM_COUNT. */
    @Test
    public void extrasThatAPendingIntentsSenderFillsInStay() throws Exception {
        Intent sent = Tokens.put(to(Worker.class).putExtras(new Bundle()), 5);
        sent.fillIn(new Intent().putExtra(Intent.EXTRA_ALARM_COUNT, 3), 0);
        assertEquals(5, Tokens.take(sent));
        assertEquals(
                Collections.singleton(Intent.EXTRA_ALARM_COUNT),
                sent.getExtras().keySet());
    }

    @Test
    public void extrasThatCannotBeReadStayAndHarmNothing() throws Exception {
        Parcel parcel = Parcel.obtain();
        parcel.writeInt(40); // length of a bundle
        parcel.writeInt(0x4C444E42); // its magic number
        for (int i = 0; i < 10; i++) {
            parcel.writeInt(0x7fffffff);
        }
        parcel.setDataPosition(0);
        Bundle damaged = parcel.readBundle(Value.class.getClassLoader());
        Intent own = to(Target.class).putExtra("x", 1).replaceExtras(damaged);
        assertEquals(0, Tokens.take(own));
        ActivityStarts.startActivity(app, own);
        Record send = Communications.only(Communications.next(), 1);
        assertTrue(send.token == 0 || shadowOf(app).getNextStartedActivity().hasExtra(EXTRA));
    }

    @Test
    public void intentOfTheAppsOwnClassIsNotCopied() throws Exception {
        class Special extends Intent {
            Special(Intent from) {
                super(from);
            }
        }
        Intent own = new Special(to(Target.class));
        assertSame(own, started(own));
        assertEquals(0, Communications.only(Communications.next(), 1).token);
    }

    @Test
    public void eachSendHasAFreshToken() throws Exception {
        Set<Long> tokens = ConcurrentHashMap.newKeySet();
        Intent own = to(Target.class).putExtra("same", 1);
        Set<Long> received = ConcurrentHashMap.newKeySet();
        ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(8);
        for (int i = 0; i < 1000; i++) {
            pool.execute(() -> {
                Sent sent = Sent.by(app, own, Components.ACTIVITY);
                tokens.add(sent.token);
                long token = Tokens.take(sent.intent);
                assertEquals(sent.token, token);
                received.add(token);
                sent.done(1);
            });
        }
        pool.shutdown();
        assertTrue(pool.awaitTermination(60, TimeUnit.SECONDS));
        assertEquals(1000, tokens.size());
        assertEquals(tokens, received);
        Set<Long> recorded = new HashSet<>();
        Communications.next().forEach(record -> recorded.add(record.token));
        assertEquals(tokens, recorded);
    }

    @Test
    public void activityMadeAgainReceivesNothingAndSeesNoToken() throws Exception {
        Intent sent = started(to(Target.class));
        Target again = Robolectric.buildActivity(Target.class, new Intent(sent))
                .create(new Bundle())
                .get();
        assertNull(again.getIntent().getExtras());
        assertEquals(Collections.emptyList(), Communications.of(Communications.next(), 32));
    }

    @Test
    public void resultHasTheTokenOfItsStart() throws Exception {
        Target asks = Robolectric.buildActivity(Target.class).create().get();
        Communications.next();
        ActivityStarts.startActivityForResult(asks, to(Target.class), 5);
        Intent sent = shadowOf(asks).getNextStartedActivityForResult().intent;
        ActivityStarts.startActivityForResult(asks, new Intent("other.PICK"), 6);
        Target answers = Robolectric.buildActivity(Target.class, sent).create().get();
        ActivityStarts.setResult(answers, Activity.RESULT_OK, new Intent("a.DONE"));
        asks.onActivityResult(5, Activity.RESULT_OK, new Intent("a.DONE"));
        asks.onActivityResult(6, Activity.RESULT_OK, null);
        asks.onActivityResult(7, Activity.RESULT_OK, null);
        List<Record> records = Communications.next();
        List<Record> starts = Communications.of(records, 2);
        List<Record> results = Communications.of(records, 33);
        assertEquals(starts.get(0).token, Communications.only(records, 32).token);
        assertEquals(starts.get(0).token, Communications.only(records, 16).token);
        assertEquals(starts.get(0).token, results.get(0).token);
        assertEquals(
                "its intent carries none, but the result belongs to it", starts.get(1).token, results.get(1).token);
        assertEquals(1, starts.get(1).flags);
        assertNotEquals(starts.get(0).token, starts.get(1).token);
        assertEquals(0, results.get(2).token);
    }

    @Test
    public void negativeRequestCodeAsksForNoResult() throws Exception {
        Target asks = Robolectric.buildActivity(Target.class).create().get();
        Communications.next();
        ActivityStarts.startActivityForResult(asks, to(Target.class), -1);
        assertEquals(Target.class.getName(), Communications.only(Communications.next(), 1).module);
    }

    private PendingIntent service(int code, int content, int flags) {
        return PendingIntents.getService(
                app,
                code,
                new Intent(app, Worker.class).putExtra("content", content),
                flags | PendingIntent.FLAG_IMMUTABLE);
    }

    /** Delivers a pending intent as the system does, and returns what the receiver records. */
    private Record delivered(PendingIntent intent, int content) throws Exception {
        Intent kept = shadowOf(intent).getSavedIntent();
        Intent copy = parcelled(kept);
        assertEquals(content, copy.getIntExtra("content", -1));
        Robolectric.buildService(Worker.class, copy).create().startCommand(0, 1);
        assertEquals(Collections.singleton("content"), copy.getExtras().keySet());
        return Communications.only(Communications.next(), 34);
    }

    @Test
    public void equalPendingIntentsShareATokenWhetherExtrasAreKeptOrReplaced() throws Exception {
        PendingIntent first = service(1, 10, 0);
        long token = Communications.only(Communications.next(), 10).token;
        assertNotEquals(0, token);
        PendingIntent kept = service(1, 11, 0);
        assertEquals(first, kept);
        assertEquals(token, Communications.only(Communications.next(), 10).token);
        assertEquals("the first extras are kept", token, delivered(kept, 10).token);
        PendingIntent replaced = service(1, 12, PendingIntent.FLAG_UPDATE_CURRENT);
        assertEquals(token, Communications.only(Communications.next(), 10).token);
        assertEquals("the extras are replaced", token, delivered(replaced, 12).token);
    }

    @Test
    public void whoOnlyAsksForAPendingIntentHasNotMadeIt() throws Exception {
        service(1, 12, 0);
        long token = Communications.only(Communications.next(), 10).token;
        PendingIntent found = service(1, 13, PendingIntent.FLAG_NO_CREATE);
        assertEquals(Collections.emptyList(), Communications.next());
        assertEquals(token, delivered(found, 12).token);
        PendingIntents.send(found);
        assertEquals(token, Communications.only(Communications.next(), 11).token);
    }

    @Test
    public void pendingIntentsThatDifferHaveDifferentTokens() throws Exception {
        service(2, 1, 0);
        service(3, 1, 0);
        PendingIntents.getService(
                app, 2, new Intent(app, Worker.class).setAction("other"), PendingIntent.FLAG_IMMUTABLE);
        PendingIntents.getBroadcast(app, 2, new Intent(app, Receiver.class), PendingIntent.FLAG_IMMUTABLE);
        Set<Long> tokens = new HashSet<>();
        Communications.of(Communications.next(), 10).forEach(record -> tokens.add(record.token));
        assertEquals(4, tokens.size());
    }

    @Test
    public void objectAfterACancellationSharesTheTokenAndTheRecordSeparatesThem() throws Exception {
        service(4, 1, 0);
        Record first = Communications.only(Communications.next(), 10);
        PendingIntent next = service(4, 2, PendingIntent.FLAG_CANCEL_CURRENT);
        Record other = Communications.only(Communications.next(), 10);
        assertEquals(first.token, other.token);
        assertEquals(0, first.flags);
        assertEquals("cancels what was set before", 64, other.flags);
        assertEquals(other.token, delivered(next, 2).token);
        PendingIntents.send(next);
        assertEquals(0, Communications.only(Communications.next(), 11).flags);
        service(4, 3, PendingIntent.FLAG_ONE_SHOT);
        assertNotEquals("a flag of its identity", other.token, Communications.only(Communications.next(), 10).token);
    }

    @Test
    public void laterProcessGivesAPendingIntentTheSameToken() throws Exception {
        Intent own = new Intent(app, Worker.class)
                .setDataAndType(Uri.parse("content://x/1"), "text/plain")
                .addCategory("cat.one")
                .addCategory("cat.two")
                .setIdentifier("id")
                .setAction("a.KEPT");
        PendingIntents.getService(app, 8, own, PendingIntent.FLAG_IMMUTABLE);
        long token = Communications.only(Communications.next(), 10).token;
        ClassLoader process = new ClassLoader(CommunicationsTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                Class<?> known = findLoadedClass(name);
                if (known != null || !name.startsWith("org.navitas.hooks.") || name.contains("Test")) {
                    return known == null ? super.loadClass(name, resolve) : known;
                }
                try (java.io.InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (java.io.IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        };
        process.loadClass(PendingIntents.class.getName())
                .getMethod("getService", Context.class, int.class, Intent.class, int.class)
                .invoke(null, app, 8, new Intent(own), PendingIntent.FLAG_IMMUTABLE);
        assertEquals(token, Communications.only(Communications.next(), 10).token);
        for (Intent each : Arrays.asList(
                new Intent(own).setIdentifier("other"),
                new Intent(own).addCategory("cat.three"),
                new Intent(own).setData(Uri.parse("content://x/1")),
                new Intent(own).setAction(null))) {
            PendingIntents.getService(app, 8, each, PendingIntent.FLAG_IMMUTABLE);
            assertNotEquals(token, Communications.only(Communications.next(), 10).token);
        }
    }

    @Test
    public void pendingIntentOfSeveralActivitiesIsThatOfTheLast() throws Exception {
        Intent[] own = {to(Plain.class), to(Target.class)};
        PendingIntent stack = PendingIntents.getActivities(app, 9, own, PendingIntent.FLAG_IMMUTABLE);
        PendingIntents.getActivities(app, 9, own, PendingIntent.FLAG_IMMUTABLE, null);
        Intent[] kept = shadowOf(stack).getSavedIntents();
        assertFalse(kept[0].hasExtra(EXTRA));
        List<Record> records = Communications.of(Communications.next(), 10);
        assertEquals(records.get(0).token, kept[1].getLongExtra(EXTRA, 0));
        assertEquals(records.get(0).token, records.get(1).token);
        assertEquals(Target.class.getName(), records.get(0).target);
        assertFalse(own[1].hasExtra(EXTRA));
        try {
            PendingIntents.getActivities(app, 9, null, PendingIntent.FLAG_IMMUTABLE);
        } catch (NullPointerException e) {
            assertEquals(Collections.emptyList(), Communications.next());
        }
    }

    @Test
    public void cancellationsAreRecordedWithTheirToken() throws Exception {
        AlarmManager alarms = app.getSystemService(AlarmManager.class);
        PendingIntent intent = service(61, 1, 0);
        long token = Communications.only(Communications.next(), 10).token;
        Alarms.setExact(alarms, AlarmManager.RTC, 1000, intent);
        Alarms.cancel(alarms, intent);
        PendingIntents.cancel(intent);
        AlarmManager.OnAlarmListener listener = () -> {};
        NewerAlarms.cancel(alarms, listener);
        List<Record> records = Communications.next();
        assertNull(shadowOf(alarms).peekNextScheduledAlarm());
        assertEquals(token, Communications.of(records, 17).get(0).token);
        assertEquals(
                "17 >" + Worker.class.getName() + " ",
                Communications.of(records, 17).get(0).toString());
        assertEquals(
                listener.getClass().getName(), Communications.of(records, 17).get(1).target);
        assertEquals(token, Communications.only(records, 18).token);
        Alarms.cancel(
                alarms, PendingIntent.getService(app, 62, new Intent(app, Worker.class), PendingIntent.FLAG_IMMUTABLE));
        assertEquals("hooks have not seen it", Collections.emptyList(), Communications.next());
    }

    private android.app.job.JobInfo job(int id) {
        return new android.app.job.JobInfo.Builder(id, new ComponentName(app, "a.Job"))
                .setOverrideDeadline(1)
                .build();
    }

    @Test
    public void cancelledJobsHaveTheTokenOfTheirRequest() throws Exception {
        android.app.job.JobScheduler jobs = app.getSystemService(android.app.job.JobScheduler.class);
        for (int id = 1; id <= 3; id++) {
            Jobs.schedule(jobs, job(id));
        }
        Jobs.cancel(jobs, 2);
        Jobs.cancelAll(jobs);
        Jobs.cancel(jobs, 9);
        assertEquals(Collections.emptyList(), jobs.getAllPendingJobs());
        List<Record> records = Communications.next();
        List<Record> set = Communications.of(records, 13);
        List<Record> cancelled = Communications.of(records, 19);
        assertEquals("[19 >a.Job 2, 19 >a.Job 1, 19 >a.Job 3, 19 > 9]", cancelled.toString());
        assertEquals(set.get(1).token, cancelled.get(0).token);
        assertEquals(set.get(0).token, cancelled.get(1).token);
        assertEquals(0, cancelled.get(3).token);
    }

    @Test
    public void refusedJobIsNotRecordedAndTheFormerOneStays() throws Exception {
        android.app.job.JobScheduler jobs = app.getSystemService(android.app.job.JobScheduler.class);
        Jobs.schedule(jobs, job(5));
        long token = Communications.only(Communications.next(), 13).token;
        shadowOf(jobs).failOnJob(5);
        assertEquals(android.app.job.JobScheduler.RESULT_FAILURE, Jobs.schedule(jobs, job(5)));
        assertEquals(Collections.emptyList(), Communications.next());
        Jobs.cancel(jobs, 5);
        assertEquals(token, Communications.only(Communications.next(), 19).token);
    }

    @Test
    public void jobsDoNotGrowWithoutBound() throws Exception {
        android.app.job.JobScheduler jobs = app.getSystemService(android.app.job.JobScheduler.class);
        for (int id = 0; id < 5000; id++) {
            Jobs.schedule(jobs, job(id));
        }
        Jobs.cancelAll(jobs);
        assertEquals(4096, Communications.of(Communications.next(), 19).size());
    }

    @Test
    public void refusedServicesAreNotRecorded() throws Exception {
        Context without = new ContextWrapper(app) {
            @Override
            public ComponentName startService(Intent service) {
                return null;
            }

            @Override
            public ComponentName startForegroundService(Intent service) {
                return null;
            }

            @Override
            public boolean bindService(Intent service, android.content.ServiceConnection connection, int flags) {
                return false;
            }

            @Override
            public boolean bindService(
                    Intent service,
                    int flags,
                    java.util.concurrent.Executor executor,
                    android.content.ServiceConnection connection) {
                return false;
            }
        };
        assertNull(ServiceCalls.startService(without, to(Worker.class)));
        assertNull(NewerServiceCalls.startForegroundService(without, to(Worker.class)));
        assertFalse(ServiceCalls.bindService(without, to(Worker.class), null, 0));
        assertFalse(NewerServiceCalls.bindService(without, to(Worker.class), 0, Runnable::run, null));
        assertEquals(Collections.emptyList(), Communications.next());
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

    private IntentFilter actions(String action) {
        IntentFilter filter = new IntentFilter(action);
        filter.addCategory(Intent.CATEGORY_DEFAULT);
        return filter;
    }

    @Test
    public void packageOnlyIntentCarriesATokenOnlyIfItsReceiversRemoveIt() throws Exception {
        org.robolectric.shadows.ShadowPackageManager packages = shadowOf(app.getPackageManager());
        for (Class<?> each : Arrays.asList(Worker.class, PlainWorker.class)) {
            packages.addServiceIfNotPresent(new ComponentName(app, each));
            packages.addIntentFilterForService(new ComponentName(app, each), actions("s." + each.getSimpleName()));
        }
        for (Class<?> each : Arrays.asList(Target.class, Plain.class)) {
            packages.addActivityIfNotPresent(new ComponentName(app, each));
            packages.addIntentFilterForActivity(new ComponentName(app, each), actions("a." + each.getSimpleName()));
            packages.addIntentFilterForActivity(new ComponentName(app, each), actions("a.BOTH"));
        }
        for (Class<?> each : Arrays.asList(Receiver.class, PlainReceiver.class)) {
            packages.addReceiverIfNotPresent(new ComponentName(app, each));
            packages.addIntentFilterForReceiver(
                    new ComponentName(app, each), new IntentFilter("b." + each.getSimpleName()));
        }
        assertTrue(carries("s.Worker", Components.SERVICE));
        assertTrue("known", carries("s.Worker", Components.SERVICE));
        assertTrue(carries("s.Worker", Components.BINDING));
        assertFalse(carries("s.PlainWorker", Components.SERVICE));
        assertFalse("no service has it", carries("s.NONE", Components.SERVICE));
        assertTrue(carries("a.Target", Components.ACTIVITY));
        assertFalse(carries("a.Plain", Components.ACTIVITY));
        assertFalse("the user can choose any of them", carries("a.BOTH", Components.ACTIVITY));
        assertTrue(carries("b.Receiver", Components.RECEIVER));
        assertFalse(carries("b.PlainReceiver", Components.RECEIVER));
        assertTrue("a registered receiver may have it", carries("b.NONE", Components.RECEIVER));
        PendingIntent plain = PendingIntents.getService(
                app, 71, new Intent("s.PlainWorker").setPackage(app.getPackageName()), PendingIntent.FLAG_IMMUTABLE);
        assertNull(shadowOf(plain).getSavedIntent().getExtras());
        PendingIntent marked = PendingIntents.getService(
                app, 72, new Intent("s.Worker").setPackage(app.getPackageName()), PendingIntent.FLAG_IMMUTABLE);
        assertTrue(shadowOf(marked).getSavedIntent().hasExtra(EXTRA));
    }

    private boolean carries(String action, int receiver) {
        Intent own = new Intent(action).setPackage(app.getPackageName()).putExtra("count", 3);
        Sent sent = Sent.by(app, own, receiver);
        assertFalse(own.hasExtra(EXTRA));
        assertEquals(sent.token != 0, sent.intent.hasExtra(EXTRA));
        return sent.token != 0;
    }

    @Test
    public void providerIsNotCalledForTheTypeOfContent() throws Exception {
        Intent own = new Intent("a.OPEN").setPackage(app.getPackageName()).setData(Uri.parse("content://a.provider/x"));
        assertSame(own, Sent.by(app, own, Components.RECEIVER).intent);
    }

    @Test
    public void systemIsKnownByTheUidOfAnyUser() throws Exception {
        assertTrue(Receivers.isSystem(1000));
        assertTrue(Receivers.isSystem(10_01000));
        assertFalse(Receivers.isSystem(10_050));
        assertFalse(Receivers.isSystem(10_10050));
        assertFalse(Receivers.isSystem(-1));
    }

    @Test
    public void absentPendingIntentIsNotRecorded() throws Exception {
        assertNull(service(77, 1, PendingIntent.FLAG_NO_CREATE));
        assertEquals(Collections.emptyList(), Communications.next());
    }

    @Test
    public void implicitPendingIntentCarriesNothingButItsUsesBelongTogether() throws Exception {
        PendingIntent intent = PendingIntents.getBroadcast(app, 5, new Intent("a.ANY"), PendingIntent.FLAG_IMMUTABLE);
        assertNull(shadowOf(intent).getSavedIntent().getExtras());
        PendingIntents.send(intent);
        List<Record> records = Communications.next();
        assertEquals(Communications.only(records, 10).token, Communications.only(records, 11).token);
        assertEquals(1, Communications.only(records, 10).flags);
        assertEquals("a.ANY", Communications.only(records, 11).action);
    }

    @Test
    public void alarmsHaveTheTokenOfTheirPendingIntent() throws Exception {
        AlarmManager alarms = app.getSystemService(AlarmManager.class);
        PendingIntent intent = service(6, 1, 0);
        long token = Communications.only(Communications.next(), 10).token;
        Alarms.setRepeating(alarms, AlarmManager.RTC_WAKEUP, 1000, 60_000, intent);
        Alarms.setInexactRepeating(alarms, AlarmManager.ELAPSED_REALTIME, 1000, 900_000, intent);
        Alarms.set(alarms, AlarmManager.RTC, 1000, intent);
        Alarms.setExact(alarms, AlarmManager.ELAPSED_REALTIME_WAKEUP, 1000, intent);
        Alarms.setWindow(alarms, AlarmManager.RTC, 1000, 10, intent);
        NewerAlarms.setAndAllowWhileIdle(alarms, AlarmManager.RTC, 1000, intent);
        NewerAlarms.setExactAndAllowWhileIdle(alarms, AlarmManager.RTC_WAKEUP, 1000, intent);
        Alarms.setAlarmClock(alarms, new AlarmManager.AlarmClockInfo(1000, null), intent);
        List<Record> records = Communications.of(Communications.next(), 12);
        StringBuilder found = new StringBuilder();
        for (Record record : records) {
            assertEquals(token, record.token);
            assertEquals(Worker.class.getName(), record.target);
            found.append(record.flags).append('/').append(record.periodMs).append(' ');
        }
        assertEquals("10/60000 2/900000 0/0 12/0 0/0 0/0 12/0 12/0 ", found.toString());
    }

    @Test
    public void pendingIntentThatHooksHaveNotSeenIsUnknown() throws Exception {
        PendingIntent unknown =
                PendingIntent.getService(app, 99, new Intent(app, Worker.class), PendingIntent.FLAG_IMMUTABLE);
        PendingIntents.send(unknown);
        Record record = Communications.only(Communications.next(), 11);
        assertEquals(0, record.token);
        assertEquals("", record.target);
    }

    @Test
    public void moduleIsTheComponentOfTheContext() throws Exception {
        Target activity = Robolectric.buildActivity(Target.class).create().get();
        Communications.next();
        ServiceCalls.startService(new ContextWrapper(activity), new Intent(app, Worker.class));
        assertEquals(Target.class.getName(), Communications.only(Communications.next(), 3).module);
        ServiceCalls.startService(app, new Intent(app, Worker.class));
        assertEquals("", Communications.only(Communications.next(), 3).module);
    }

    @Test
    public void localBroadcastIsMatchedWithoutAnExtra() throws Exception {
        Receiver receiver = new Receiver();
        Intent own = new Intent("a.LOCAL");
        androidx.localbroadcastmanager.content.LocalBroadcastManager manager =
                new androidx.localbroadcastmanager.content.LocalBroadcastManager() {
                    @Override
                    public boolean sendBroadcast(Intent intent) {
                        assertSame(own, intent);
                        receiver.onReceive(app, intent);
                        new Receiver().onReceive(app, intent);
                        return true;
                    }
                };
        assertTrue(LocalBroadcasts.sendBroadcast(manager, own));
        List<Record> records = Communications.next();
        long token = Communications.only(records, 8).token;
        assertEquals(2, Communications.of(records, 36).size());
        Communications.of(records, 36).forEach(record -> assertEquals(token, record.token));
        assertNull(own.getExtras());
    }

    @Test
    public void workHasTheTokenOfItsRequest() throws Exception {
        androidx.work.PeriodicWorkRequest request = new androidx.work.PeriodicWorkRequest();
        request.spec.workerClassName = "a.SyncWorker";
        request.spec.intervalDuration = 900_000;
        Works.enqueueUniquePeriodicWork(new androidx.work.WorkManager(), "sync", null, request);
        androidx.work.ListenableWorker worker = new androidx.work.ListenableWorker(request.getId());
        Workers.doWork(worker, worker.getClass());
        Workers.doWork(worker, worker.getClass());
        Workers.doWork(this, getClass());
        List<Record> records = Communications.next();
        Record send = Communications.only(records, 14);
        assertEquals("14 >a.SyncWorker sync f2 p900000", send.toString());
        assertEquals(send.token, Communications.only(records, 38).token);
        Works.cancelWorkById(new androidx.work.WorkManager(), request.getId());
        Works.cancelUniqueWork(new androidx.work.WorkManager(), "sync");
        List<Record> cancelled = Communications.of(Communications.next(), 20);
        assertEquals("[20 > , 20 > sync]", cancelled.toString());
        assertEquals(send.token, cancelled.get(0).token);
    }

    private static androidx.work.OneTimeWorkRequest work(String name) {
        androidx.work.OneTimeWorkRequest request = new androidx.work.OneTimeWorkRequest();
        request.spec.workerClassName = name;
        return request;
    }

    @Test
    public void workOfAChainIsRecordedOnceWhenTheChainIsEnqueued() throws Exception {
        androidx.work.WorkManager manager = new androidx.work.WorkManager();
        androidx.work.OneTimeWorkRequest last = work("w.Last");
        androidx.work.WorkContinuation one = Chains.beginWith(manager, work("w.One"));
        androidx.work.WorkContinuation two =
                Chains.beginUniqueWork(manager, "two", null, Arrays.asList(work("w.Two"), work("w.Three")));
        androidx.work.WorkContinuation both = Chains.then(Chains.combine(Arrays.asList(two, one)), last);
        assertEquals(Collections.emptyList(), Communications.next());
        Chains.enqueue(one);
        assertEquals("[14 >w.One ]", Communications.next().toString());
        Chains.enqueue(both);
        Chains.enqueue(both);
        List<Record> records = Communications.next();
        assertEquals("[14 >w.Two two, 14 >w.Three two, 14 >w.Last two]", records.toString());
        assertEquals(Tokens.of(last.getId()), records.get(2).token);
        Chains.enqueue(new androidx.work.WorkContinuation());
        Chains.enqueue(Chains.then(Chains.beginWith(manager, Arrays.asList(work("w.A"))), Arrays.asList(work("w.B"))));
        Chains.enqueue(Chains.beginUniqueWork(manager, "c", null, work("w.C")));
        assertEquals("[14 >w.A , 14 >w.B , 14 >w.C c]", Communications.next().toString());
    }

    @Test
    public void launchedIntentCarriesATokenOnlyIfAContractOfAndroidxPassesItOn() throws Exception {
        Target.class.getName();
        started(to(Target.class)); // so that the own package is known
        Communications.next();
        Intent own = to(Target.class);
        Object[] launched = new Object[1];
        Launchers.launch(
                launcher(
                        new androidx.activity.result.contract.ActivityResultContracts.StartActivityForResult(),
                        launched),
                own);
        assertTrue(((Intent) launched[0]).hasExtra(EXTRA));
        Record send = Communications.only(Communications.next(), 2);
        assertEquals(Target.class.getName(), send.target);
        assertNotEquals(0, send.token);
        Launchers.launch(
                launcher(new androidx.activity.result.contract.ActivityResultContract<Intent, Object>() {}, launched),
                own);
        assertSame(own, launched[0]);
        Launchers.launch(launcher(null, launched), "text");
        assertEquals("text", launched[0]);
        for (Record record : Communications.of(Communications.next(), 2)) {
            assertEquals(0, record.token);
        }
    }

    private static <I> androidx.activity.result.ActivityResultLauncher<I> launcher(
            androidx.activity.result.contract.ActivityResultContract<I, ?> contract, Object[] launched) {
        return new androidx.activity.result.ActivityResultLauncher<I>() {
            @Override
            public void launch(I input, androidx.core.app.ActivityOptionsCompat options) {
                launched[0] = input;
            }

            @Override
            public void launch(I input) {
                launched[0] = input;
            }

            @Override
            public androidx.activity.result.contract.ActivityResultContract<I, ?> getContract() {
                return contract;
            }
        };
    }

    @Test
    public void nullsAndExceptionsAreThoseOfThePlatform() throws Exception {
        for (Runnable each : Arrays.<Runnable>asList(
                () -> ActivityStarts.startActivity(null, to(Target.class)), () -> ServiceCalls.startService(null, null),
                () -> Broadcasts.sendBroadcast(null, null), () -> ActivityStarts.startActivities(null, null))) {
            try {
                each.run();
                throw new AssertionError("no exception");
            } catch (NullPointerException e) {
                continue;
            }
        }
        Context refusing = new ContextWrapper(app) {
            @Override
            public void startActivity(Intent intent) {
                throw new SecurityException("refused");
            }
        };
        try {
            ActivityStarts.startActivity(refusing, to(Target.class));
            throw new AssertionError("no exception");
        } catch (SecurityException e) {
            assertEquals("refused", e.getMessage());
        }
        assertEquals("what was not sent is not recorded", Collections.emptyList(), Communications.next());
    }

    private static Intent parcelled(Intent intent) {
        Parcel parcel = Parcel.obtain();
        intent.writeToParcel(parcel, 0);
        parcel.setDataPosition(0);
        return Intent.CREATOR.createFromParcel(parcel);
    }
}
