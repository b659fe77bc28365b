package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.Activity;
import android.app.IntentService;
import android.app.PendingIntent;
import android.app.Service;
import android.appwidget.AppWidgetManager;
import android.content.BroadcastReceiver;
import android.content.ContentProvider;
import android.content.Intent;
import android.net.Uri;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.navitas.hooks.intents.Communications.Record;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.run.BulkInstrumenter;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import scenario.App;

/** Classes that the instrumenter changed, with deliveries as the system makes them: each is recorded once, with its token. */
@RunWith(AndroidRunner.class)
@Config(sdk = 33, manifest = Config.NONE)
public class InstrumentedAppTest {
    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static ClassLoader loader;
    private static List<String> seen;

    private Activity main;

    @BeforeClass
    @SuppressWarnings("unchecked")
    public static void instrument() throws Exception {
        Path in = FOLDER.newFolder("in").toPath();
        Path out = FOLDER.getRoot().toPath().resolve("out");
        Files.createDirectories(in.resolve("scenario"));
        File classes = new File(System.getProperty("navitas.test.classes"), "scenario");
        for (File each : classes.listFiles()) {
            Files.copy(each.toPath(), in.resolve("scenario").resolve(each.getName()));
        }
        BulkInstrumenter.run(
                Collections.singletonList(new Input(in, out, Input.MAIN, ":")),
                Options.builder().hooks(true, false).build(),
                FOLDER.getRoot().toPath().resolve("map.json"));
        loader = new URLClassLoader(new URL[] {out.toUri().toURL()}, InstrumentedAppTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                Class<?> known = findLoadedClass(name);
                return known != null
                        ? known
                        : name.startsWith("scenario.") ? findClass(name) : super.loadClass(name, resolve);
            }
        };
        seen = (List<String>)
                loader.loadClass(App.class.getName()).getField("SEEN").get(null);
    }

    @Before
    public void open() throws Exception {
        main = Robolectric.buildActivity(type("Main", Activity.class)).create().get();
        Communications.next();
        seen.clear();
    }

    private static <T> Class<? extends T> type(String name, Class<T> as) throws Exception {
        return loader.loadClass(App.class.getName() + "$" + name).asSubclass(as);
    }

    private static String name(String name) {
        return App.class.getName() + "$" + name;
    }

    private Intent to(String name) throws Exception {
        return new Intent(main, type(name, Object.class));
    }

    private static Object call(Object self, String name, Object... arguments) throws Exception {
        return Arrays.stream(self.getClass().getMethods())
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == arguments.length)
                .findFirst()
                .get()
                .invoke(self, arguments);
    }

    @Test
    public void activityOfASubclassIsRecordedOnceAndSeesNothing() throws Exception {
        call(main, "open", to("Main"));
        Robolectric.buildActivity(type("Main", Activity.class), shadowOf(main).getNextStartedActivity())
                .create();
        assertEquals(Arrays.asList("Main null", "Base null"), seen);
        List<Record> records = Communications.next();
        assertEquals("[1 " + name("Main") + ">" + name("Main") + " , 32 " + name("Main") + "> ]", records.toString());
        assertEquals(records.get(0).token, records.get(1).token);
        assertNotEquals(0, records.get(0).token);
    }

    @Test
    public void activityWithoutCallbacksReceivesOnceAndSeesNothing() throws Exception {
        for (String name : Arrays.asList("Bare", "OverBare")) {
            call(main, "open", to(name));
            ActivityController<? extends Activity> opened = Robolectric.buildActivity(
                            type(name, Activity.class), shadowOf(main).getNextStartedActivity())
                    .create();
            List<Record> records = Communications.next();
            assertEquals("[1 " + name("Main") + ">" + name(name) + " , 32 " + name(name) + "> ]", records.toString());
            assertEquals(records.get(0).token, records.get(1).token);
            assertNotEquals(0, records.get(0).token);
            seen.clear();
            call(main, "open", to(name));
            Intent delivered = shadowOf(main).getNextStartedActivity();
            opened.newIntent(delivered);
            assertEquals(
                    name.equals("Bare") ? Collections.emptyList() : Collections.singletonList("OverBare.new null"),
                    seen);
            assertEquals(null, delivered.getExtras());
            records = Communications.next();
            assertEquals("[1 " + name("Main") + ">" + name(name) + " , 32 " + name(name) + "> ]", records.toString());
            assertEquals(records.get(0).token, records.get(1).token);
        }
    }

    @Test
    public void unhandledResultIsRecordedIfTheActivityRequestedIt() throws Exception {
        Activity bare =
                Robolectric.buildActivity(type("Bare", Activity.class)).create().get();
        Communications.next();
        call(bare, "ask", to("Main"), 7);
        shadowOf(bare).receiveResult(shadowOf(bare).getNextStartedActivity(), Activity.RESULT_OK, new Intent("answer"));
        List<Record> records = Communications.next();
        assertEquals(
                "[2 " + name("Bare") + ">" + name("Main") + " , 33 " + name("Bare") + "> answer]", records.toString());
        assertEquals(records.get(0).token, records.get(1).token);
        shadowOf(bare).callOnActivityResult(8, Activity.RESULT_OK, null); // a fragment's, or a launcher's
        assertEquals(Collections.emptyList(), Communications.next());
    }

    @Test
    public void widgetThatOnlyUpdatesReceivesTheBroadcast() throws Exception {
        call(main, "broadcast", to("Widget").setAction(AppWidgetManager.ACTION_APPWIDGET_UPDATE));
        List<Intent> all = shadowOf(RuntimeEnvironment.getApplication()).getBroadcastIntents();
        Intent sent = new Intent(all.get(all.size() - 1)).putExtra(AppWidgetManager.EXTRA_APPWIDGET_IDS, new int[] {1});
        type("Widget", BroadcastReceiver.class)
                .getDeclaredConstructor()
                .newInstance()
                .onReceive(main, sent);
        assertEquals(Collections.singletonList("Widget.update"), seen);
        List<Record> records = Communications.next();
        assertEquals(Communications.only(records, 8).token, Communications.only(records, 36).token);
        assertNotEquals(0, Communications.only(records, 36).token);
        assertEquals(name("Widget"), Communications.only(records, 36).module);
    }

    @Test
    public void overriddenSendGetsTheAppsOwnIntent() throws Exception {
        Activity curious = Robolectric.buildActivity(type("Curious", Activity.class))
                .create()
                .get();
        Communications.next();
        seen.clear();
        call(curious, "open", to("Main"));
        assertEquals(Collections.singletonList("Curious null"), seen);
        assertEquals(0, Communications.only(Communications.next(), 1).token);
    }

    @Test
    public void serviceWhoseCallbacksCallThoseAboveIsRecordedOnce() throws Exception {
        for (String name : Arrays.asList("Work", "MoreWork")) {
            seen.clear();
            call(main, "start", to(name));
            Intent sent = shadowOf(main).getNextStartedService();
            Robolectric.buildService(type(name, Service.class), sent)
                    .create()
                    .startCommand(0, 1)
                    .destroy();
            assertEquals(Arrays.asList("Work null", "Work.start null", "Work.destroy"), seen);
            List<Record> records = Communications.next();
            assertEquals(3, records.size());
            assertEquals(Communications.only(records, 3).token, Communications.only(records, 34).token);
            assertEquals(name(name), Communications.only(records, 34).module);
            assertEquals(name(name), Communications.only(records, 40).module);
        }
    }

    @Test
    public void intentServiceReceivesWhereItHandles() throws Exception {
        call(main, "start", to("Queue"));
        Intent sent = shadowOf(main).getNextStartedService();
        Robolectric.buildIntentService(type("Queue", IntentService.class), sent)
                .create()
                .handleIntent();
        assertEquals(Collections.singletonList("Queue null"), seen);
        List<Record> records = Communications.next();
        assertEquals(Communications.only(records, 3).token, Communications.only(records, 34).token);
    }

    @Test
    public void bindingIsReceivedOnceAndItsEndSeesNothing() throws Exception {
        Sent sent = Sent.by(main, to("Work"), Components.BINDING);
        assertNotEquals(0, sent.token);
        Service service =
                Robolectric.buildService(type("Work", Service.class)).create().get();
        service.onBind(new Intent(sent.intent));
        service.onUnbind(new Intent(sent.intent));
        assertEquals(Arrays.asList("Work.bind null", "Work.unbind null"), seen);
        assertEquals(sent.token, Communications.only(Communications.next(), 35).token);
    }

    @Test
    public void broadcastReachesTheReceiverWithoutItsToken() throws Exception {
        call(main, "broadcast", to("Receiver"));
        List<Intent> sent = shadowOf(RuntimeEnvironment.getApplication()).getBroadcastIntents();
        BroadcastReceiver receiver = type("Receiver", BroadcastReceiver.class)
                .getDeclaredConstructor()
                .newInstance();
        receiver.onReceive(main, new Intent(sent.get(sent.size() - 1)));
        assertEquals(Collections.singletonList("Receiver null"), seen);
        List<Record> records = Communications.next();
        assertEquals(Communications.only(records, 8).token, Communications.only(records, 36).token);
    }

    @Test
    public void repeatingAlarmHasItsPeriodAndItsServiceTheToken() throws Exception {
        PendingIntent intent = (PendingIntent) call(main, "service", 1, to("Work"), PendingIntent.FLAG_IMMUTABLE);
        call(main, "repeat", intent, 60_000L);
        Intent kept = shadowOf(intent).getSavedIntent();
        for (int i = 0; i < 3; i++) {
            Robolectric.buildService(type("Work", Service.class), new Intent(kept))
                    .create()
                    .startCommand(0, i);
        }
        List<Record> records = Communications.next();
        Record alarm = Communications.only(records, 12);
        assertEquals("12 >" + name("Work") + "  f10 p60000", alarm.toString());
        assertEquals(alarm.token, Communications.only(records, 10).token);
        assertEquals(3, Communications.of(records, 34).size());
        Communications.of(records, 34).forEach(record -> assertEquals(alarm.token, record.token));
        assertTrue(seen.toString(), seen.stream().allMatch(each -> each.endsWith("null")));
    }

    @Test
    public void callsOfAProviderInTheProcessAreMatchedAndOthersLeave() throws Exception {
        Robolectric.buildContentProvider(type("Provider", ContentProvider.class))
                .create("a.provider");
        Communications.next();
        call(main, "query", Uri.parse("content://a.provider/x"));
        List<Record> records = Communications.next();
        assertEquals(
                "15 >" + name("Provider") + " a.provider",
                Communications.only(records, 15).toString());
        assertEquals(Communications.only(records, 15).token, Communications.only(records, 39).token);
        try {
            call(main, "insert", Uri.parse("content://a.provider/x"));
            throw new AssertionError("no exception");
        } catch (java.lang.reflect.InvocationTargetException e) {
            assertEquals("refused", e.getCause().getMessage());
        }
        records = Communications.next();
        assertEquals(Communications.only(records, 15).token, Communications.only(records, 39).token);
        call(main, "query", Uri.parse("content://other/x"));
        Record left = Communications.only(Communications.next(), 15);
        assertEquals("15 > other f1", left.toString());
        assertEquals(0, left.token);
    }
}
