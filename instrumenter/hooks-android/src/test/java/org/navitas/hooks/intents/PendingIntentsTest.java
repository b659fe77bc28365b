package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.robolectric.Shadows.shadowOf;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.net.Uri;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.Test;
import org.navitas.hooks.intents.Communications.Record;
import org.robolectric.Robolectric;

/** Tokens of pending intents, and of the alarms that send them. */
public class PendingIntentsTest extends ModulesOfTestedApp {
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
        ClassLoader process = new ClassLoader(PendingIntentsTest.class.getClassLoader()) {
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
}
