package org.navitas.runtime;

import java.util.Arrays;

/**
 * One thread's calls as events: the current buffer and the stack of open calls. Used by that thread only. The subclass
 * decides when calls are events. They are one object, since each load in a probe costs time.
 */
abstract class CallEvents {
    private static final long[] NONE = {};

    final Recorder recorder;
    /** Chain of event buffers. */
    final Track calls;

    /** The current event buffer; empty if calls are not events. */
    private long[] words = NONE;

    private int count;
    private long base;
    private Buffer buffer;
    /** Within calls and before this time, probes can take the fast path. */
    private long until;

    /** Method ids of open calls, up to its length. */
    private int[] stack = new int[64];

    private int depth;
    /** Whether a new buffer was started since this was last set to false. */
    boolean rolled;

    CallEvents(Recorder recorder, Track calls) {
        this.recorder = recorder;
        this.calls = calls;
    }

    /** Records a call on the fast path; returns false without a change if the slow path is needed. */
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
        // The published count first: a stack overflow in this call must leave a consistent state.
        to[n] = (long) method << Format.DELTA_BITS | now - base;
        buffer.lazySet(n + 1);
        count = n + 1;
        open[d] = method;
        depth = d + 1;
        return true;
    }

    /** Records the end of an inner call on the fast path; returns false without a change if the slow path is needed. */
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

    /** Allows the fast path within a call, until {@code latest} at most. */
    final void allowEvents(long latest) {
        until = Math.min(latest, base + Format.DELTA_MASK);
        words = depth > 0 ? buffer.words : NONE;
    }

    /** Disables the fast path. */
    final void holdEvents() {
        words = NONE;
    }

    final boolean isOutsideOfEvents() {
        return depth == 0;
    }

    /** Records any entry; returns false without a change if there is no space for it. */
    final boolean openEvent(int method, long kind, long now) {
        if (depth == stack.length && depth < Limits.STACK) {
            stack = Arrays.copyOf(stack, 2 * depth); // first: a stack overflow here leaves a consistent state
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
     * Records the end of any call; returns false if there is no space for it. Inner calls whose exits were missed (a
     * stack overflow inside a probe) end first, as thrown.
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

    /** Continues in an empty buffer; returns false if the budget is spent or no buffer is free. */
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

    /** Counts the current buffer's events against the budget. */
    final void spendEvents() {
        recorder.spent(count);
    }

    /** Moves the open calls to the tree, with the time of the last event. */
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
