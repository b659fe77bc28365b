package org.navitas.android;

import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import java.util.ArrayList;
import java.util.List;
import org.navitas.phone.android.shared.RealTime;

/**
 * The clock of alarms and jobs. It runs with the phone's other clocks, and {@link #advance} moves it ahead of them. So what
 * is due depends on delays only: each entry is due its delay after it was set.
 *
 * <p>What is due runs on the main thread, in the order of due times, and of setting for equal times.
 */
final class AlarmClock {
    private static final List<Entry> ENTRIES = new ArrayList<>();
    private static final Runnable TICK = AlarmClock::runDue;
    private static long skippedMs;
    private static Handler main;

    private AlarmClock() {}

    private static final class Entry {
        final Object key;
        final long dueMs;
        final Runnable action;

        Entry(Object key, long dueMs, Runnable action) {
            this.key = key;
            this.dueMs = dueMs;
            this.action = action;
        }
    }

    /** Sets an entry, instead of one with an equal key. */
    static synchronized void set(Object key, long delayMs, Runnable action) {
        setAt(key, nowMs() + Math.max(delayMs, 0), action);
    }

    /** As {@link #set}, with the time on this clock. */
    static synchronized void setAt(Object key, long dueMs, Runnable action) {
        cancel(key);
        int place = 0;
        while (place < ENTRIES.size() && ENTRIES.get(place).dueMs <= dueMs) {
            place++;
        }
        ENTRIES.add(place, new Entry(key, dueMs, action));
        wakeUp();
    }

    static synchronized void cancel(Object key) {
        ENTRIES.removeIf(entry -> entry.key.equals(key));
    }

    static synchronized long nowMs() {
        return SystemClock.elapsedRealtime() + skippedMs;
    }

    /**
     * Advances the clock: runs what comes due on the way, each at its time on this clock, after the main thread has
     * handled the one before and jobs have finished. Not for the main thread.
     *
     * @return how many entries have run
     */
    static int advance(long ms) {
        long endMs = nowMs() + ms;
        int count = 0;
        settle();
        for (Entry due = takeUntil(endMs); due != null; due = takeUntil(endMs)) {
            PhoneInstrumentation.get().runOnMainSync(due.action);
            settle();
            count++;
        }
        return count;
    }

    private static void settle() {
        PhoneInstrumentation.get().waitForIdleSync();
        JobRuns.await();
        PhoneInstrumentation.get().waitForIdleSync(); // for what the jobs have sent
    }

    /** Moves the clock to the first entry that is due by then, which it removes; or to that time if there is none. */
    private static synchronized Entry takeUntil(long endMs) {
        Entry next = ENTRIES.isEmpty() || ENTRIES.get(0).dueMs > endMs ? null : ENTRIES.remove(0);
        skippedMs += Math.max(0, (next == null ? endMs : next.dueMs) - nowMs());
        RealTime.setSkipped(skippedMs);
        wakeUp();
        return next;
    }

    private static synchronized Entry takeDue() {
        return ENTRIES.isEmpty() || ENTRIES.get(0).dueMs > nowMs() ? null : ENTRIES.remove(0);
    }

    private static void runDue() {
        for (Entry due = takeDue(); due != null; due = takeDue()) {
            due.action.run();
        }
        wakeUp();
    }

    private static synchronized void wakeUp() {
        if (main == null) { // created on first use: a class can be loaded before the main looper exists
            main = new Handler(Looper.getMainLooper());
        }
        main.removeCallbacks(TICK);
        if (!ENTRIES.isEmpty()) {
            main.postDelayed(TICK, Math.max(0, ENTRIES.get(0).dueMs - nowMs()));
        }
    }
}
