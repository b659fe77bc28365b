package org.navitas.runtime;

import java.util.Arrays;

/**
 * One thread's calls as events: the buffer that takes them, and the stack of open calls. Used by that thread alone. What extends
 * it says when there are events; it is no part of that since each load on the way of a probe costs time.
 */
abstract class CallEvents {
    private static final long[] NONE = {};

    final Recorder recorder;
    /** Of events. */
    final Track calls;

    /** Where events go; empty while there are none. */
    private long[] words = NONE;
    private int count;
    private long base;
    private Buffer buffer;
    /** Until then, and within calls, probes may take the short way. */
    private long until;

    /** Method ids of open calls, as far as it reaches. */
    private int[] stack = new int[64];
    private int depth;
    /** There is a new buffer since this was last set to false. */
    boolean rolled;

    CallEvents(Recorder recorder, Track calls) {
        this.recorder = recorder;
        this.calls = calls;
    }

    /** A call; false, and no change, when that needs more. */
    final boolean enterEvent(int method, Platform clock) {
        long[] to = words;
        int n = count;
        if (n >= to.length) {
            return false;
        }
        int d = depth;
        int[] open = stack;
        long now = clock.nanoTime();
        if (now >= until || d >= open.length) {
            return false;
        }
        // The published count first: a stack overflow in this call must leave nothing half done.
        to[n] = (long) method << Format.DELTA_BITS | now - base;
        buffer.lazySet(n + 1);
        count = n + 1;
        open[d] = method;
        depth = d + 1;
        return true;
    }

    /** The end of a call that is not an outermost one; false, and no change, when that needs more. */
    final boolean exitEvent(int method, long kind, long now) {
        long[] to = words;
        int n = count;
        if (n >= to.length) {
            return false;
        }
        int d = depth - 1;
        int[] open = stack;
        if (now >= until || d <= 0 || d >= open.length || open[d] != method) {
            return false;
        }
        to[n] = kind | (long) method << Format.DELTA_BITS | now - base;
        buffer.lazySet(n + 1);
        count = n + 1;
        depth = d;
        return true;
    }

    /** Probes take the short way within a call until then at the latest. */
    final void allowEvents(long latest) {
        until = Math.min(latest, base + Format.DELTA_MASK);
        words = depth > 0 ? buffer.words : NONE;
    }

    /** No probe takes the short way. */
    final void holdEvents() {
        words = NONE;
    }

    final boolean isOutsideOfEvents() {
        return depth == 0;
    }

    /** Any entry; false, and no change, when there is no room for it. */
    final boolean openEvent(int method, long kind, long now) {
        if (depth == stack.length && depth < Limits.STACK) {
            stack = Arrays.copyOf(stack, 2 * depth); // first: where the stack overflows here, nothing is half done
        }
        if (!append(method, kind, now)) {
            return false;
        }
        if (depth < stack.length) {
            stack[depth] = method;
        }
        depth++;
        return true;
    }

    /**
     * Any call's end; false when there is no room for it. Inner calls whose own exits were missed (a stack overflow inside a
     * probe) end first, by throw.
     */
    final boolean closeEvent(int method, long kind, long now) {
        int open = depth - 1;
        while (open >= 0 && open < stack.length && stack[open] != method) {
            open--;
        }
        if (open < 0) {
            calls.lose(1); // an exit without its entry
            return true;
        }
        for (; depth - 1 > open; depth--) {
            int inner = depth - 1;
            if (!append(inner < stack.length ? stack[inner] : method, Format.THROW, now)) {
                return false;
            }
        }
        if (!append(method, kind, now)) {
            return false;
        }
        depth--;
        return true;
    }

    private boolean append(int method, long kind, long now) {
        if ((count == buffer.words.length || now - base > Format.DELTA_MASK) && !rollEvents(now)) {
            return false;
        }
        buffer.words[count] = kind | (long) method << Format.DELTA_BITS | now - base;
        buffer.lazySet(count + 1);
        count++;
        return true;
    }

    /** Goes on in an empty buffer; false when the budget is spent or none is free. */
    final boolean rollEvents(long now) {
        spendEvents();
        Buffer next = recorder.eventsAllowed() ? calls.roll(now, 0) : null;
        if (next == null) {
            return false;
        }
        buffer = next;
        rolled = true;
        count = 0;
        base = now;
        return true;
    }

    /** Counts the current buffer's events as recorded. */
    final void spendEvents() {
        recorder.spent(count);
    }

    /** From the last event on the open calls are nodes of the tree. */
    final void moveEvents(CallTree tree, long now) {
        tree.resume(count > 0 ? base + (buffer.words[count - 1] & Format.DELTA_MASK) : now);
        int known = Math.min(depth, stack.length);
        for (int i = 0; i < known; i++) {
            tree.reopen(stack[i]);
        }
        tree.hide(depth - known);
        calls.leavePool(0);
        buffer = null;
        count = 0;
        depth = 0;
    }
}
