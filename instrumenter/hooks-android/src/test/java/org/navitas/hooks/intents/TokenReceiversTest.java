package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.PendingIntent;
import android.content.ComponentName;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.IntentFilter;
import android.net.Uri;
import android.os.Bundle;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;
import org.navitas.hooks.intents.Communications.Record;
import org.robolectric.Robolectric;

/** Who gets a token: only components that remove it. */
public class TokenReceiversTest extends ModulesOfTestedApp {
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
    public void activityMadeAgainReceivesNothingAndSeesNoToken() throws Exception {
        Intent sent = started(to(Target.class));
        Target again = Robolectric.buildActivity(Target.class, new Intent(sent))
                .create(new Bundle())
                .get();
        assertNull(again.getIntent().getExtras());
        assertEquals(Collections.emptyList(), Communications.of(Communications.next(), 32));
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
    public void moduleIsTheComponentOfTheContext() throws Exception {
        Target activity = Robolectric.buildActivity(Target.class).create().get();
        Communications.next();
        ServiceCalls.startService(new ContextWrapper(activity), new Intent(app, Worker.class));
        assertEquals(Target.class.getName(), Communications.only(Communications.next(), 3).module);
        ServiceCalls.startService(app, new Intent(app, Worker.class));
        assertEquals("", Communications.only(Communications.next(), 3).module);
    }
}
