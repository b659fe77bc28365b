"""A small Android app with instrumentation tests, compiled, instrumented and packed into APKs. Its classes are in a jvm.zip.

All tests share one build of it, and of its APKs, if they need no other: `cached` keeps them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navitas.capture.build.bridge import InstrumentOptions
from navitas.capture.build.instrument import instrument
from navitas.capture.build.java import JARS
from navitas.capture.bundle.reader import Bundle, open_bundle
from navitas.virtual_phone import firmware
from support import apk_maker, bundle_maker
from support.apk_maker import Signer, Tag, activity, instrumentation, manifest, write
from support.bundle_cache import digest, kept
from support.framework import NotFetchedError, provide
from support.maven import fetch

APP, TESTS = "org.example.notes", "org.example.notes.test"
RUNNER = f"{TESTS}/androidx.test.runner.AndroidJUnitRunner"
PERMISSIONS = (
    "RECORD_AUDIO", "ACCESS_FINE_LOCATION", "CAMERA", "WAKE_LOCK", "ACCESS_WIFI_STATE", "CHANGE_WIFI_STATE", "BLUETOOTH_SCAN",
    "BLUETOOTH_CONNECT",
)  # fmt: skip
_WOVEN = "org.robolectric.internal.bytecode"
_FRAMEWORKS_JUNIT = "4.13.2"
_APP_SOURCES = {
    "Main": """
public class Main extends android.app.Activity {
    static int clicks, result = -1;
    @Override protected void onCreate(android.os.Bundle state) {
        super.onCreate(state);
        android.util.Log.i("Notes", "created on " + Thread.currentThread().getName());
        android.widget.Button button = new android.widget.Button(this);
        button.setId(7);
        button.setOnClickListener(view -> clicked());
        button.setOnLongClickListener(view -> {
            startActivity(new android.content.Intent(this, Detail.class));
            return true;
        });
        setContentView(button);
    }
    @Override public boolean dispatchTouchEvent(android.view.MotionEvent event) {
        if (event.getAction() == android.view.MotionEvent.ACTION_DOWN) pressed();
        if (event.getAction() == android.view.MotionEvent.ACTION_CANCEL) cancelled();
        if (event.getAction() == android.view.MotionEvent.ACTION_UP) released();
        return super.dispatchTouchEvent(event);
    }
    void pressed() { }
    void cancelled() { }
    void released() { }
    void clicked() { clicks++; startActivityForResult(new android.content.Intent(this, Detail.class), 5); }
    @Override protected void onActivityResult(int request, int code, android.content.Intent data) {
        result = request * 100 + code;
    }
    static volatile String answer = "";
    @Override public void onRequestPermissionsResult(int code, String[] names, int[] results) {
        answer = code + java.util.Arrays.toString(names) + java.util.Arrays.toString(results);
    }
}""",
    "Detail": """
public class Detail extends android.app.Activity {
    static Detail shown;
    @Override protected void onResume() { super.onResume(); shown = this; setResult(42); }
    @Override protected void onDestroy() { super.onDestroy(); shown = null; }
    @Override public boolean dispatchTouchEvent(android.view.MotionEvent event) {
        touched();
        return super.dispatchTouchEvent(event);
    }
    void touched() { }
}""",
    "Queue": """
public class Queue extends android.app.IntentService {
    static final java.util.List<String> STEPS = new java.util.concurrent.CopyOnWriteArrayList<>();
    public Queue() { super("queue"); }
    @Override protected void onHandleIntent(android.content.Intent intent) {
        STEPS.add(intent.getStringExtra("what") + " " + Thread.currentThread().getName());
    }
    @Override public void onDestroy() { super.onDestroy(); STEPS.add("destroy"); }
}""",
    "Sync": """
public class Sync extends android.app.Service {
    static final java.util.List<String> STEPS = new java.util.concurrent.CopyOnWriteArrayList<>();
    @Override public void onCreate() { STEPS.add("create " + Thread.currentThread().getName()); }
    @Override public int onStartCommand(android.content.Intent intent, int flags, int id) {
        STEPS.add("start " + intent.getStringExtra("what"));
        new Thread(() -> { work(); stopSelf(id); }, "sync worker").start();
        return START_NOT_STICKY;
    }
    static long work() {  // the same CPU time on any machine
        long sum = 0;
        for (long end = android.os.SystemClock.currentThreadTimeMillis() + 50;
                android.os.SystemClock.currentThreadTimeMillis() < end; ) sum++;
        STEPS.add("worked");
        return sum;
    }
    @Override public void onDestroy() { STEPS.add("destroy"); }
    @Override public android.os.IBinder onBind(android.content.Intent intent) { return new android.os.Binder(); }
}""",
}
_TEST_SOURCES = {
    "NotesTest": """
import static org.junit.Assert.*;
import android.app.*;
import android.content.*;
import android.os.*;
import androidx.test.platform.app.InstrumentationRegistry;
import java.util.Arrays;
import java.util.concurrent.*;
import org.junit.*;
import org.junit.runners.MethodSorters;
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class NotesTest {
    private final Instrumentation phone = InstrumentationRegistry.getInstrumentation();
    private final Context app = phone.getTargetContext();
    private static void eventually(Callable<Boolean> what) throws Exception {
        for (int i = 0; i < 12_000 && !what.call(); i++) Thread.sleep(10);
        assertTrue(what.call());
    }
    @Test public void aProcess() throws Exception {
        assertEquals("org.example.notes", app.getPackageName());
        assertEquals(ProcessHandle.current().pid(), android.os.Process.myPid());
        assertEquals(app.getApplicationInfo().uid, android.os.Process.myUid());
        assertTrue(android.os.Process.myUid() >= 10000);
        assertEquals(33, app.getApplicationInfo().targetSdkVersion);
        assertEquals("blue", InstrumentationRegistry.getArguments().getString("colour"));
        assertEquals("Instr: androidx.test.runner.AndroidJUnitRunner", Thread.currentThread().getName());
        try (java.io.FileOutputStream out = app.openFileOutput("note.txt", 0)) { out.write("kept".getBytes()); }
        app.getSharedPreferences("p", 0).edit().putInt("n", 3).commit();
    }
    @Test public void bTimeRuns() throws Exception {
        long wall = System.nanoTime(), up = SystemClock.uptimeMillis();
        CountDownLatch latch = new CountDownLatch(1);
        String[] thread = new String[1];
        new Handler(Looper.getMainLooper()).postDelayed(() -> {
            thread[0] = Thread.currentThread().getName();
            latch.countDown();
        }, 200);
        assertTrue(latch.await(120, TimeUnit.SECONDS));
        assertEquals("main", thread[0]);
        assertTrue(System.nanoTime() - wall >= 199_000_000L && SystemClock.uptimeMillis() - up >= 199);
        HandlerThread worker = new HandlerThread("worker");
        worker.start();
        CountDownLatch twice = new CountDownLatch(2);
        new Handler(worker.getLooper()).post(twice::countDown);
        new Handler(worker.getLooper()).postDelayed(twice::countDown, 50);
        assertTrue(twice.await(120, TimeUnit.SECONDS));
    }
    @Test public void cActivities() throws Exception {
        Activity main = phone.startActivitySync(new Intent(app, Main.class).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK));
        phone.runOnMainSync(() -> main.findViewById(7).performClick());
        eventually(() -> Detail.shown != null);
        assertEquals(1, Main.clicks);
        phone.runOnMainSync(() -> Detail.shown.finish());
        eventually(() -> Detail.shown == null);
        assertEquals(542, Main.result);
        for (int i = 0; i < 20; i++) {  // each laid out in time for its focus, wherever the next frame is due
            Activity again = phone.startActivitySync(new Intent(app, Main.class).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK));
            assertTrue(again.getWindow().getDecorView().isLaidOut());
            phone.runOnMainSync(again::finish);
        }
    }
    @Test public void dServices() throws Exception {
        app.startService(new Intent(app, Sync.class).putExtra("what", "all"));
        eventually(() -> Sync.STEPS.contains("destroy"));
        assertEquals("[create main, start all, worked, destroy]", Sync.STEPS.toString());
        CountDownLatch bound = new CountDownLatch(1);
        ServiceConnection connection = new ServiceConnection() {
            public void onServiceConnected(ComponentName name, IBinder binder) { bound.countDown(); }
            public void onServiceDisconnected(ComponentName name) { }
        };
        assertTrue(app.bindService(new Intent(app, Sync.class), connection, Context.BIND_AUTO_CREATE));
        assertTrue(bound.await(120, TimeUnit.SECONDS));
        app.unbindService(connection);
        eventually(() -> Sync.STEPS.size() == 6);
    }
    @Test public void eAnimationsTakeTheirTime() throws Exception {
        int[] frames = new int[1];
        long[] took = {0, System.nanoTime()};
        phone.runOnMainSync(() -> {
            android.animation.ValueAnimator animator = android.animation.ValueAnimator.ofInt(0, 100).setDuration(300);
            animator.addUpdateListener(one -> frames[0]++);
            animator.addListener(new android.animation.AnimatorListenerAdapter() {
                @Override public void onAnimationEnd(android.animation.Animator one) { took[0] = System.nanoTime() - took[1]; }
            });
            animator.start();
        });
        eventually(() -> took[0] > 0);
        assertTrue(took[0] / 1e6 + " ms, " + frames[0] + " frames", took[0] >= 250_000_000L && frames[0] < 100);
    }
    @Test public void gAnIntentServiceEndsAfterItsLastIntent() throws Exception {
        app.startService(new Intent(app, Queue.class).putExtra("what", "one"));
        eventually(() -> Queue.STEPS.contains("destroy"));
        assertEquals("[one IntentService[queue], destroy]", Queue.STEPS.toString());
    }
    @Test public void hXmlIsParsed() throws Exception {
        StringBuilder found = new StringBuilder();
        org.xml.sax.helpers.DefaultHandler handler = new org.xml.sax.helpers.DefaultHandler() {
            @Override public void startElement(String uri, String name, String qualified, org.xml.sax.Attributes attributes) {
                found.append(uri + " " + name + " " + attributes.getValue("b") + ";");
            }
        };
        String text = "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/none'><x:a xmlns:x='u' b='\u00e9'><c/></x:a>";
        byte[] bytes = text.getBytes("ISO-8859-1");
        android.util.Xml.parse(new java.io.ByteArrayInputStream(bytes), android.util.Xml.Encoding.ISO_8859_1, handler);
        android.util.Xml.parse(text, handler);
        assertEquals("u a \u00e9; c null;u a \u00e9; c null;", found.toString());
        assertThrows(org.xml.sax.SAXException.class, () -> android.util.Xml.parse("<a>", handler));
    }
    @Test public void iPermissionsOfTheManifestAreGranted() throws Exception {
        String[] both = {"android.permission.RECORD_AUDIO", "android.permission.CALL_PHONE"};
        assertEquals(0, app.checkSelfPermission(both[0]));
        assertEquals(-1, app.checkSelfPermission(both[1]));
        android.net.ConnectivityManager networks = app.getSystemService(android.net.ConnectivityManager.class);
        android.net.NetworkRequest any = new android.net.NetworkRequest.Builder().build();
        android.net.ConnectivityManager.NetworkCallback none = new android.net.ConnectivityManager.NetworkCallback();
        assertThrows(SecurityException.class, () -> networks.requestNetwork(any, none));
        Activity main = phone.startActivitySync(new Intent(app, Main.class).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK));
        for (int code = 7; code < 9; code++) {
            int request = code;
            phone.runOnMainSync(() -> main.requestPermissions(both, request));
            eventually(() -> !Main.answer.isEmpty());
            assertEquals(code + Arrays.toString(both) + "[0, -1]", Main.answer);
            Main.answer = "";
        }
    }
    @Test public void fAssetsOfTheTests() throws Exception {
        try (java.io.InputStream in = phone.getContext().getAssets().open("seed.txt")) {
            assertEquals("tests", new String(in.readAllBytes()));
        }
        assertSame(phone.getContext(), phone.getContext());
        assertThrows(java.io.IOException.class, () -> app.getAssets().open("seed.txt"));
    }
}""",
    "ComponentsTest": """
import android.content.Context;
import android.hardware.*;
import android.hardware.camera2.*;
import android.location.*;
import android.media.*;
import android.os.*;
import androidx.test.platform.app.InstrumentationRegistry;
import org.junit.Test;
import static org.junit.Assert.*;
public class ComponentsTest {
    private final Context app = InstrumentationRegistry.getInstrumentation().getTargetContext();
    private static void hold() { SystemClock.sleep(500); }
    @Test public void components() throws Exception {
        LocationManager locations = app.getSystemService(LocationManager.class);
        LocationListener listener = location -> { };
        locations.requestLocationUpdates("gps", 0L, 0f, listener, Looper.getMainLooper());
        hold();
        locations.removeUpdates(listener);
        SensorManager sensors = app.getSystemService(SensorManager.class);
        Sensor gyroscope = sensors.getDefaultSensor(Sensor.TYPE_GYROSCOPE);
        assertTrue(gyroscope.getPower() > 0);
        SensorEventListener events = new SensorEventListener() {
            public void onSensorChanged(SensorEvent event) { }
            public void onAccuracyChanged(Sensor sensor, int accuracy) { }
        };
        assertTrue(sensors.registerListener(events, gyroscope, SensorManager.SENSOR_DELAY_GAME));
        hold();
        sensors.unregisterListener(events);
        PowerManager.WakeLock lock = app.getSystemService(PowerManager.class).newWakeLock(1, "notes:sync");
        lock.acquire();
        hold();
        lock.release();
        lock.acquire(300);
        hold();
        assertFalse(lock.isHeld());
        CameraManager cameras = app.getSystemService(CameraManager.class);
        CameraDevice[] opened = new CameraDevice[1];
        cameras.openCamera(cameras.getCameraIdList()[0], app.getMainExecutor(), new CameraDevice.StateCallback() {
            public void onOpened(CameraDevice camera) { opened[0] = camera; }
            public void onDisconnected(CameraDevice camera) { }
            public void onError(CameraDevice camera, int error) { }
        });
        hold();
        opened[0].close();
        cameras.setTorchMode("0", true);
        hold();
        cameras.setTorchMode("0", false);
        AudioTrack track = new AudioTrack.Builder().setBufferSizeInBytes(4096).build();
        track.play();
        hold();
        track.stop();
    }
}""",
    "LifecycleTest": """
import static org.junit.Assert.*;
import android.app.*;
import android.content.Intent;
import android.os.Bundle;
import androidx.test.espresso.*;
import androidx.test.platform.app.InstrumentationRegistry;
import java.util.*;
import java.util.concurrent.*;
import org.junit.*;
import org.junit.runners.MethodSorters;
import org.robolectric.android.internal.LocalActivityInvoker;  // by which ActivityScenario launches here
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class LifecycleTest {
    private static final List<String> STEPS = new CopyOnWriteArrayList<>();
    private final Instrumentation phone = InstrumentationRegistry.getInstrumentation();
    private final LocalActivityInvoker scenario = new LocalActivityInvoker();
    @BeforeClass public static void watch() {
        Application app = (Application) InstrumentationRegistry.getInstrumentation().getTargetContext().getApplicationContext();
        app.registerActivityLifecycleCallbacks(new Application.ActivityLifecycleCallbacks() {
            void step(String what, Activity one) { STEPS.add(what + " " + one.getClass().getSimpleName()); }
            public void onActivityCreated(Activity one, Bundle state) { step("create", one); }
            public void onActivityStarted(Activity one) { step("start", one); }
            public void onActivityResumed(Activity one) { step("resume", one); }
            public void onActivityPaused(Activity one) { step("pause", one); }
            public void onActivityStopped(Activity one) { step("stop", one); }
            public void onActivitySaveInstanceState(Activity one, Bundle state) { }
            public void onActivityDestroyed(Activity one) { step("destroy", one); }
        });
    }
    private Intent intent(Class<?> activity) {
        return new Intent(phone.getTargetContext(), activity).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
    }
    private static void steps(String... expected) throws Exception {
        for (int i = 0; i < 12_000 && STEPS.size() < expected.length; i++) Thread.sleep(10);
        assertEquals(Arrays.asList(expected), STEPS);
        STEPS.clear();
    }
    @Test public void aLaunchesAndLeavesIt() throws Exception {
        scenario.startActivity(intent(Main.class));
        steps("create Main", "start Main", "resume Main");
    }
    @Test public void bWhatIsLeftIsFinishedBetweenTests() throws Exception {
        steps("pause Main", "stop Main", "destroy Main");
    }
    @Test public void cAScenarioReplacesTheActivitiesBefore() throws Exception {
        scenario.startActivity(intent(Main.class));
        new LocalActivityInvoker().startActivity(intent(Detail.class));
        steps("create Main", "start Main", "resume Main", "pause Main", "create Detail", "start Detail", "resume Detail",
            "stop Main", "destroy Main");
    }
    @Test public void dOneOnTopStopsTheOneBelowAndGivesWayToIt() throws Exception {
        steps("pause Detail", "stop Detail", "destroy Detail");
        phone.startActivitySync(intent(Main.class));
        Activity top = phone.startActivitySync(intent(Detail.class));
        steps("create Main", "start Main", "resume Main", "pause Main", "create Detail", "start Detail", "resume Detail",
            "stop Main");
        phone.runOnMainSync(top::finish);
        steps("pause Detail", "start Main", "resume Main", "stop Detail", "destroy Detail");
    }
    @Test public void eOneOfAScenarioThatFinishesItselfIsDestroyed() throws Exception {
        steps("pause Main", "stop Main", "destroy Main");
        scenario.startActivity(intent(Detail.class));
        Activity shown = Detail.shown;
        phone.runOnMainSync(shown::finish);
        steps("create Detail", "start Detail", "resume Detail", "pause Detail", "stop Detail", "destroy Detail");
        assertTrue(shown.isDestroyed());
    }
    @Test public void hNumbersCanBeTyped() throws Exception {
        Activity main = phone.startActivitySync(intent(Main.class));
        android.widget.EditText field = new android.widget.EditText(main);
        phone.runOnMainSync(() -> {
            field.setInputType(android.text.InputType.TYPE_CLASS_NUMBER | android.text.InputType.TYPE_NUMBER_FLAG_DECIMAL);
            main.setContentView(field);
        });
        phone.waitForIdleSync();
        phone.runOnMainSync(() -> {
            field.requestFocus();
            try {
                new org.robolectric.android.internal.LocalUiController().injectString("16.5x");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        assertEquals("16.5", field.getText().toString());
    }
    @Test public void gEspressoWaitsForWhatIsDue() throws Exception {
        boolean[] isIdle = new boolean[1];
        IdlingResource.ResourceCallback[] waiting = new IdlingResource.ResourceCallback[1];
        IdlingResource work = new IdlingResource() {
            public String getName() { return "work"; }
            public boolean isIdleNow() { return isIdle[0]; }
            public void registerIdleTransitionCallback(ResourceCallback callback) { waiting[0] = callback; }
        };
        IdlingRegistry.getInstance().register(work);
        phone.runOnMainSync(() -> {
            new android.os.Handler(android.os.Looper.getMainLooper()).postDelayed(() -> {
                isIdle[0] = true;
                waiting[0].onTransitionToIdle();
            }, 300);
            new org.robolectric.android.internal.LocalUiController().loopMainThreadUntilIdle();
        });
        assertTrue(isIdle[0]);
        IdlingRegistry.getInstance().unregister(work);
    }
    @Test public void fAScenarioMovesItsOwn() throws Exception {
        scenario.startActivity(intent(Detail.class));
        Activity shown = Detail.shown;
        scenario.stopActivity(shown);
        scenario.resumeActivity(shown);
        scenario.pauseActivity(shown);
        scenario.finishActivity(shown);
        steps("create Detail", "start Detail", "resume Detail", "pause Detail", "stop Detail", "start Detail", "resume Detail",
            "pause Detail", "stop Detail", "destroy Detail");
    }
}""",
    "DeliveryTest": """
import static org.junit.Assert.*;
import android.app.*;
import android.content.*;
import android.os.SystemClock;
import androidx.test.platform.app.InstrumentationRegistry;
import java.util.*;
import java.util.concurrent.*;
import org.junit.*;
public class DeliveryTest {
    private static final int MUTABLE = PendingIntent.FLAG_MUTABLE;
    private final Instrumentation phone = InstrumentationRegistry.getInstrumentation();
    private final Context app = phone.getTargetContext();
    private static BroadcastReceiver receiver(BlockingQueue<Intent> got) {
        return new BroadcastReceiver() {
            @Override public void onReceive(Context context, Intent intent) { intent.putExtra("seen", true); got.add(intent); }
        };
    }
    @Test public void eachReceiverHasItsOwnIntent() throws Exception {
        BlockingQueue<Intent> got = new LinkedBlockingQueue<>();
        app.registerReceiver(receiver(got), new IntentFilter("a.PING"));
        app.registerReceiver(receiver(got), new IntentFilter("a.PING"));
        Intent sent = new Intent("a.PING").setPackage(app.getPackageName());
        app.sendBroadcast(sent);
        Intent first = got.poll(120, TimeUnit.SECONDS), second = got.poll(120, TimeUnit.SECONDS);
        assertTrue(first != second && first.hasExtra("seen") && second.hasExtra("seen") && !sent.hasExtra("seen"));
        app.sendBroadcast(new Intent("a.PING").setPackage("other.app"));
        app.sendBroadcast(new Intent("a.PING").setClassName(app, "org.example.notes.Main"));
        app.sendOrderedBroadcast(new Intent("a.PING"), null);
        assertNull(got.poll(120, TimeUnit.SECONDS).getPackage());
        assertNull(got.poll(120, TimeUnit.SECONDS).getComponent());
        phone.waitForIdleSync();
        assertTrue(got.isEmpty());
    }
    @Test public void anOrderedBroadcastKeepsItsResultWhenOthersComeBetween() throws Exception {
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        app.registerReceiver(new BroadcastReceiver() {
            @Override public void onReceive(Context context, Intent intent) {
                got.add(isOrderedBroadcast() ? "ordered " + getResultCode() : "plain");
                if (isOrderedBroadcast()) setResultCode(8);
            }
        }, new IntentFilter("a.MIXED"));
        CountDownLatch ended = new CountDownLatch(1);
        int[] code = new int[1];
        BroadcastReceiver last = new BroadcastReceiver() {
            @Override public void onReceive(Context context, Intent intent) { code[0] = getResultCode(); ended.countDown(); }
        };
        phone.runOnMainSync(() -> {  // so that none is delivered before all are sent
            app.sendBroadcast(new Intent("a.MIXED"));
            app.sendOrderedBroadcast(new Intent("a.MIXED"), null, last, null, 7, null, null);
            app.sendBroadcast(new Intent("a.MIXED"));
        });
        assertTrue(ended.await(120, TimeUnit.SECONDS));
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) all.add(got.poll(120, TimeUnit.SECONDS));
        Collections.sort(all);
        assertEquals("[ordered 7, plain, plain] 8", all + " " + code[0]);
    }
    /** The clock of alarms, which the phone's command `advance` moves. It decides, however long anything takes. */
    private static long clock(String method, Object... ms) {
        try {
            Class<?>[] types = new Class<?>[ms.length];
            Arrays.fill(types, long.class);
            java.lang.reflect.Method found = Class.forName("org.navitas.android.AlarmClock").getDeclaredMethod(method, types);
            found.setAccessible(true);
            return ((Number) found.invoke(null, ms)).longValue();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
    @Test public void alarmsComeAfterFiveSecondsUnlessTheyAreCancelled() throws Exception {
        AlarmManager alarms = app.getSystemService(AlarmManager.class);
        BlockingQueue<Intent> got = new LinkedBlockingQueue<>();
        List<Long> heard = new CopyOnWriteArrayList<>();
        app.registerReceiver(receiver(got), new IntentFilter("a.ALARM"));
        AlarmManager.OnAlarmListener listener = () -> heard.add(clock("nowMs")), cancelled = () -> fail("cancelled");
        PendingIntent alarm = PendingIntent.getBroadcast(app, 0, new Intent("a.ALARM").setPackage(app.getPackageName()), MUTABLE);
        PendingIntent other = PendingIntent.getBroadcast(app, 1, new Intent("a.ALARM").setPackage(app.getPackageName()), MUTABLE);
        long start = clock("nowMs"), now = SystemClock.elapsedRealtime();
        phone.runOnMainSync(() -> {  // so that none comes meanwhile
            alarms.set(AlarmManager.ELAPSED_REALTIME, now, "cancelled", cancelled, null);
            alarms.setExact(AlarmManager.RTC_WAKEUP, 0, other);
            alarms.setRepeating(AlarmManager.RTC, System.currentTimeMillis() + 5, 1, alarm);
            alarms.set(AlarmManager.ELAPSED_REALTIME, now, "heard", listener, null);
            alarms.cancel(cancelled);
            alarms.cancel(other);
        });
        clock("advance", 5_000L);
        assertTrue(heard + " after " + start, heard.size() == 1 && heard.get(0) >= start + 5_000);
        assertEquals(1, got.poll(120, TimeUnit.SECONDS).getIntExtra(Intent.EXTRA_ALARM_COUNT, 0));
        while (got.isEmpty()) clock("advance", 1_000L);
        assertTrue("the next one comes after a minute", clock("nowMs") >= start + 65_000);
        alarms.cancel(alarm);
    }
    @Test public void flagsAndPendingIntentsChooseTheActivity() throws Exception {
        Intent main = new Intent(app, Main.class).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        Activity first = phone.startActivitySync(main);
        app.startActivity(new Intent(main).addFlags(Intent.FLAG_ACTIVITY_SINGLE_TOP));
        phone.waitForIdleSync();
        Intent detail = new Intent(app, Detail.class).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        PendingIntent.getActivity(app, 0, detail, PendingIntent.FLAG_IMMUTABLE).send();
        phone.waitForIdleSync();
        assertNotNull(Detail.shown);
        int single = Intent.FLAG_ACTIVITY_SINGLE_TOP | Intent.FLAG_ACTIVITY_CLEAR_TOP;
        app.startActivity(new Intent(main).addFlags(single));
        phone.waitForIdleSync();
        assertTrue("the one above is gone", Detail.shown == null && !first.isDestroyed());
        app.startActivity(new Intent(main).addFlags(Intent.FLAG_ACTIVITY_CLEAR_TOP));
        phone.waitForIdleSync();
        assertTrue("a new one replaces it, the only one", first.isDestroyed());
    }
}""",
    "WorkTest": """
import org.junit.*;
public class WorkTest {
    @Test public void works() throws Exception {
        Sync.work();
        Thread worker = new Thread(() -> Sync.work(), "helper");
        worker.start();
        worker.join();
    }
    @Test public void fails() { Sync.work(); Assert.fail("as it must"); }
}""",
    "Nested": """
import org.junit.*;
public class Nested {
    public static class Inner { @Test public void inside() { } }
    @Test public void outside() { new Object() { @Test public void inAnAnonymousClass() { } }; }
}""",
    "CrashTest": """
import org.junit.*;
public class CrashTest {
    @Test public void inTheMainThread() throws Exception {
        new android.os.Handler(android.os.Looper.getMainLooper()).post(() -> { throw new IllegalStateException("boom"); });
        Thread.sleep(60_000);
    }
}""",
}


@dataclass(frozen=True, slots=True)
class Made:
    """The app's files: its APK and that of its tests, their classes, and the app's method map."""

    apks: list[Path]
    jvm: Path
    map: Path


def cached(
    shelf: Path,
    tests: Mapping[str, str] = _TEST_SOURCES,
    junit: str = _FRAMEWORKS_JUNIT,
    hooked: Mapping[str, str] | None = None,
    **manifest: Any,
) -> Made:
    """Return the app with tests (sources by class name) for a JUnit version, and with options of the manifest.

    With `hooked`, the app has these classes, too, and hooks. An app of the same inputs is built once, also its classes and its
    APKs on their own, below `shelf`. The caller must not change its files. Raises `NotFetchedError`.
    """
    code = [("code", Path(module)) for module in (__file__, apk_maker.__file__)]
    of_classes = digest([firmware.NAME, repr((tests, junit, hooked))], code)
    classes = kept(shelf, of_classes, lambda folder: _make_classes(folder, tests, junit, hooked))
    apks = kept(shelf, digest([repr(sorted(manifest.items()))], code), lambda folder: _make_apks(folder, **manifest))
    return Made([apks / "app.apk", apks / "tests.apk"], classes / "jvm.zip", classes / "map.json")


def _make_classes(folder: Path, tests: Mapping[str, str], junit: str, hooked: Mapping[str, str] | None) -> None:
    """Compile and instrument the app, compile its tests, and write their jvm.zip."""
    if shutil.which("javac") is None or not (JARS / "navitas-phone-android.jar").is_file():
        raise NotFetchedError("no JDK, or the jars are not built: make jars")
    framework = provide()
    if junit == _FRAMEWORKS_JUNIT:
        libraries = [jar for jar in (*framework.jars, *framework.last) if jar.name.startswith(("junit-", "hamcrest-"))]
    else:
        libraries = sorted(fetch([f"junit:junit:{junit}"], folder / "lib", transitive=True).glob("*.jar"))
    class_path = [woven(folder / "woven"), framework.android, *libraries, *framework.jars, *framework.last]
    app = _compiled(folder / "app", {**_APP_SOURCES, **(hooked or {})}, class_path)
    instrument([app], folder / "instrumented", folder / "map.json", InstrumentOptions(hooks=hooked is not None))
    compiled = _compiled(folder / "tests", tests, [*class_path, app])
    app_jar = pack_classes(folder / "app.jar", folder / "instrumented", json.loads((folder / "map.json").read_text())["map_id"])
    entries = {"app/000-app.jar": app_jar, "app/001-runtime.jar": JARS / "navitas-runtime.jar"}
    entries |= {"app/002-hooks.jar": JARS / "navitas-hooks.jar"} if hooked is not None else {}
    entries |= {"test/000-tests.jar": pack_classes(folder / "tests.jar", compiled)}
    entries |= {"test/001-listener.jar": JARS / "navitas-runtime-junit.jar"}
    entries |= {f"test/{number:03}-{file.name}": file for number, file in enumerate(libraries, 2)}
    with zipfile.ZipFile(folder / "jvm.zip", "w") as archive:
        document = {"schema_version": 1, "package": APP, "test_package": TESTS, "class_path": [*entries]}
        archive.writestr("jvm.json", json.dumps(document))
        for name, file in entries.items():
            archive.write(file, name)


def _make_apks(
    folder: Path,
    application: str = "android.app.Application",
    *,
    permissions: Sequence[str] = PERMISSIONS,
    debuggable: bool = True,
    launcher: bool = True,
    target_sdk: int = 33,
) -> None:
    """Write the APKs, with an Application class. The manifest requests `permissions`; launchers may show the activity."""
    if shutil.which("keytool") is None:
        raise NotFetchedError("no JDK")
    signer = Signer(folder, JARS / "navitas-phone-install.jar")
    parts = (
        activity(".Main", launcher=launcher),
        activity(".Detail"),
        *(Tag("service", {"name": name}) for name in (".Sync", ".Queue")),
    )
    requests = [Tag("uses-permission", {"name": f"android.permission.{name}"}) for name in permissions]
    named: dict[str, bool | int | str] = {"name": application, "debuggable": debuggable}
    app = manifest(APP, *parts, application=named, target_sdk=target_sdk, outside=requests)
    signer.add(write(folder / "app.raw", app), folder / "app.apk")
    tests = manifest(TESTS, outside=(instrumentation(APP),))
    signer.add(write(folder / "tests.raw", tests, {"assets/seed.txt": b"tests"}), folder / "tests.apk")
    signer.run()


def make_bundle(folder: Path) -> Bundle:
    """Return the app as a bundle from a build. Raises `NotFetchedError`."""
    folder.mkdir(parents=True, exist_ok=True)
    return open_bundle(bundle_of(cached(folder), folder / "notes.bundle.zip"))


def bundle_of(made: Made, file: Path, **fields: object) -> Path:
    """Return the bundle of a built app, with some fields of `bundle.json` replaced."""
    map_id = json.loads(made.map.read_text())["map_id"]
    names = {"package": APP, "test_package": TESTS, "map_id": map_id, "includes_map_ids": []}
    files = dict(zip(("app.apk", "test.apk"), (apk.read_bytes() for apk in made.apks), strict=True))
    files |= {"jvm.zip": made.jvm.read_bytes(), "map.json": made.map.read_bytes()}
    content = json.dumps({**bundle_maker.ANDROID_MANIFEST, **names, **fields})
    return bundle_maker.make(file, {"bundle.json": content, **files})


def _compiled(folder: Path, sources: Mapping[str, str], class_path: list[Path], package: str = APP) -> Path:
    """Return the folder of the compiled classes, all in one package."""
    folder.mkdir()
    files = []
    for name, text in sources.items():
        files.append(folder / f"{name}.java")
        files[-1].write_text(f"package {package};\n{text}")
    return compile_classes(folder, files, class_path)


def woven(folder: Path) -> Path:
    """Return what comes first on the class path: Robolectric has modified the framework's classes.

    With this interface empty, subclasses compile as on Android.
    """
    return _compiled(folder, {"ShadowedObject": "public interface ShadowedObject {}"}, [], _WOVEN)


def compile_classes(folder: Path, files: Sequence[Path], class_path: Sequence[Path]) -> Path:
    """Compile Java files, and return the folder of the classes."""
    class_path_text = ":".join(map(str, [folder, *class_path]))
    subprocess.run(["javac", "-nowarn", "-cp", class_path_text, "-d", folder / "classes", *files], check=True)
    return folder / "classes"


def pack_classes(jar: Path, classes: Path, map_id: str | None = None) -> Path:
    """Write a jar of compiled classes below the package `org`, with the id of their method map."""
    with zipfile.ZipFile(jar, "w") as archive:
        root = next(iter(classes.rglob("org"))).parent
        for found in root.rglob("*.class"):
            archive.write(found, str(found.relative_to(root)))
        if map_id is not None:
            archive.writestr("META-INF/navitas/map.properties", f"map_id={map_id}\n")
    return jar
