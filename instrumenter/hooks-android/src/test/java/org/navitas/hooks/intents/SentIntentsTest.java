package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.IntentFilter;
import android.net.Uri;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.Test;
import org.navitas.hooks.intents.Communications.Record;
import org.robolectric.Robolectric;

/** How tokens get from senders to receivers, with the hooks as inserted code calls them. */
public class SentIntentsTest extends ModulesOfTestedApp {
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
}
