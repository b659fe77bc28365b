package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.content.ClipData;
import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import android.os.Parcel;
import android.os.Parcelable;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import org.junit.Test;
import org.navitas.hooks.intents.Communications.Record;
import org.robolectric.Robolectric;

/** What an intent has besides its token stays as it was. */
public class IntentContentsTest extends ModulesOfTestedApp {
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
}
