package org.navitas.runtime;

import java.util.Arrays;

/**
 * One thread's recording: every method here but {@link #drain} is called by that thread alone.
 *
 * <p>Calls are events as long as the recorder gives buffers, else they are folded until the outermost call has returned.
 * At an entry the CPU clock is read before the event's time and at an exit after it, so the cost of reading it (microseconds)
 * falls into the caller's time, never the callee's; an anchor has the time of the event that it belongs to.
 *
 * <p>Outermost calls may be so short that two clock readings would cost more than they do. So anchors closer than a tenth
 * of the anchor interval use up a credit, which time gives back; a thread without credit waits for the next anchor that is due.
 */
final class ThreadRecorder {
    static final int CALLS = 1;
    static final int ANCHORS = 2;
    static final int FOLDED = 5;

    /** An event is {@code kind << 62 | method << 40 | delta_ns}. */
    private static final int DELTA_BITS = 40;
    private static final long DELTA_MASK = (1L << DELTA_BITS) - 1;
    private static final long ENTER = 0L;
    static final long EXIT = 1L << 62;
    static final long THROW = 2L << 62;
    private static final long RESUME = 3L << 62;

    private static final int MAX_STACK = 1 << 16;
    private static final int CREDITS = 256;

    final Thread thread;
    final long serial;
    final int osTid;
    private final Recorder recorder;
    private final Platform platform;
    private final Track calls;
    private final Track anchors;
    private final Track folds;

    /** Where events go; room is 0 while there is no buffer. */
    private Buffer buffer;
    private long[] words;
    private int count;
    private int room;
    private long base;

    /** When the next anchor, or at the latest the next base, is due. */
    private long deadline;
    private long lastAnchor;
    private long credits = CREDITS;

    /** Method ids of open calls, as far as it reaches. */
    private int[] stack = new int[64];
    private int depth;
    private CallTree tree;
    /** Until an outermost call gets a buffer for events. */
    private boolean folding = true;
    private boolean hasCpuClock = true;
    /** The runtime is at work on this thread: probes met on its way (in a class loader, say) are none of ours. */
    private boolean busy;

    ThreadRecorder(Recorder recorder, Thread thread, long serial, int osTid) {
        this.recorder = recorder;
        this.thread = thread;
        this.serial = serial;
        this.osTid = osTid;
        platform = recorder.platform;
        calls = new Track(CALLS, recorder.eventBuffers, recorder.writer);
        anchors = new Track(ANCHORS, recorder.anchorBuffers, recorder.writer);
        folds = new Track(FOLDED, new BufferPool(64, 2), recorder.writer);
        lastAnchor = platform.nanoTime();
    }

    /** For threads of the runtime itself, and while a thread is being registered: records nothing. */
    static ThreadRecorder ignoring(Recorder recorder) {
        ThreadRecorder ignoring = new ThreadRecorder(recorder, null, 0, 0);
        ignoring.busy = true;
        return ignoring;
    }

    void enter(int method) {
        int d = depth;
        if (d == 0) {
            slowEnter(method, ENTER);
            return;
        }
        long now = platform.nanoTime();
        if (folding) {
            if (now - deadline >= 0 || busy) {
                slowEnter(method, ENTER);
            } else {
                tree.enter(method, now);
                depth = d + 1;
            }
            return;
        }
        int n = count;
        if (n >= room || d >= stack.length || now - deadline >= 0) {
            slowEnter(method, ENTER);
            return;
        }
        // The published count first: a stack overflow in this call must leave nothing half done.
        words[n] = (long) method << DELTA_BITS | now - base;
        buffer.lazySet(n + 1);
        count = n + 1;
        stack[d] = method;
        depth = d + 1;
    }

    /** An entry that counts no call. Rare enough to take the slow way always. */
    void resume(int method) {
        slowEnter(method, RESUME);
    }

    /** {@code kind} is {@link #EXIT} or {@link #THROW}. */
    void exit(int method, long kind) {
        long now = platform.nanoTime();
        int d = depth - 1;
        if (d <= 0 || now - deadline >= 0) {
            slowExit(method, kind, now);
            return;
        }
        if (folding) {
            if (busy) {
                return;
            }
            depth -= tree.exit(method, kind == THROW, now);
            return;
        }
        int n = count;
        if (n >= room || d >= stack.length || stack[d] != method) {
            slowExit(method, kind, now);
            return;
        }
        words[n] = kind | (long) method << DELTA_BITS | now - base;
        buffer.lazySet(n + 1);
        count = n + 1;
        depth = d;
    }

    private void slowEnter(int method, long kind) {
        if (busy) {
            return;
        }
        busy = true;
        try {
            boolean outermost = depth == 0;
            if (outermost && folding) {
                resumeEvents();
            }
            long now;
            if (outermost ? mayAnchor() : platform.nanoTime() - deadline >= 0) {
                long cpu = cpuNanos();
                now = platform.nanoTime();
                idleUntil(now);
                anchor(now, cpu);
            } else {
                now = platform.nanoTime();
                idleUntil(now);
            }
            recordEnter(method, kind, now);
            busy = false;
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void slowExit(int method, long kind, long now) {
        if (busy) {
            return;
        }
        busy = true;
        try {
            recordExit(method, kind, now);
            if (depth == 0 ? mayAnchor() : now - deadline >= 0) {
                anchor(now, cpuNanos());
            }
            busy = false;
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** A stack overflow is the application's own, which meets it right after; anything else ends this thread's recording. */
    private void failed(Throwable cause) {
        calls.lose(1);
        busy = !(cause instanceof StackOverflowError);
        if (busy) {
            recorder.failed(cause);
        }
    }

    private void recordEnter(int method, long kind, long now) {
        if (!folding && event(kind, method, now)) {
            push(method);
        } else {
            tree.enter(method, now);
            if (kind == RESUME) {
                tree.uncount();
            }
        }
        depth++;
    }

    private void recordExit(int method, long kind, long now) {
        int open = folding ? 0 : find(method);
        if (depth == 0 || open < 0) {
            calls.lose(1); // an exit without its entry
            return;
        }
        // Calls whose own exit was missed (a stack overflow inside a probe) end here, by throw.
        while (!folding && depth - 1 > open) {
            int inner = depth - 1;
            if (event(THROW, inner < stack.length ? stack[inner] : method, now)) {
                depth = inner;
            }
        }
        if (!folding && event(kind, method, now)) {
            depth--;
        } else {
            depth -= tree.exit(method, kind == THROW, now);
        }
    }

    /** The depth at which the method's innermost open call is, -1 when there is none. */
    private int find(int method) {
        int d = depth - 1;
        while (d >= 0 && d < stack.length && stack[d] != method) {
            d--;
        }
        return d;
    }

    private void push(int method) {
        if (depth == stack.length && depth < MAX_STACK) {
            stack = Arrays.copyOf(stack, 2 * depth);
        }
        if (depth < stack.length) {
            stack[depth] = method;
        }
    }

    /** Appends an event. False when there is no room for it: then this thread folds from its last event on. */
    private boolean event(long kind, int method, long now) {
        if (count >= room || now - base > DELTA_MASK) {
            recorder.spent(count);
            Buffer next = recorder.eventsAllowed() ? calls.roll(now, 0) : null;
            if (next == null) {
                startFolding(now);
                return false;
            }
            use(next);
        }
        words[count] = kind | (long) method << DELTA_BITS | now - base;
        buffer.lazySet(count + 1);
        count++;
        return true;
    }

    private void use(Buffer next) {
        buffer = next;
        words = next.words;
        room = words.length;
        count = 0;
        base = next.base;
        folding = false;
        due(lastAnchor + recorder.anchorIntervalNs(false));
    }

    /** Only once what was folded is published: nothing would do it later, while events go on. */
    private void resumeEvents() {
        if (recorder.eventsAllowed() && publish()) {
            Buffer next = calls.roll(platform.nanoTime(), 0);
            if (next != null) {
                use(next);
            }
        }
    }

    /** This thread's own: publishes what is folded so far; false when no buffer is free for it. */
    boolean publish() {
        return tree == null || tree.endEpoch(tree.last());
    }

    /** The first epoch begins at the last event, so no time is missed; the anchor makes now a knot. */
    private void startFolding(long now) {
        makeTree();
        tree.resume(count > 0 ? base + (words[count - 1] & DELTA_MASK) : now);
        int known = Math.min(depth, stack.length);
        for (int i = 0; i < known; i++) {
            tree.reopen(stack[i]);
        }
        tree.hide(depth - known);
        calls.close();
        buffer = null;
        words = null;
        room = 0;
        count = 0;
        folding = true;
        anchor(now, cpuNanos());
    }

    /** Before an outermost call: time up to now is nobody's. */
    private void idleUntil(long now) {
        if (folding && depth == 0) {
            makeTree();
            tree.resume(now);
        }
    }

    private void makeTree() {
        if (tree == null) {
            tree = new CallTree(folds, recorder.maxNodes);
        }
    }

    private boolean mayAnchor() {
        return credits > 0 || platform.nanoTime() - lastAnchor >= recorder.creditNs;
    }

    /** -1 when this thread has no CPU clock (a virtual thread): it has no anchors then, only epochs. */
    private long cpuNanos() {
        long cpu = hasCpuClock ? platform.threadCpuNanos() : -1;
        hasCpuClock = cpu >= 0;
        return cpu;
    }

    /** Records an anchor and ends the epoch; when a buffer is missing for either, a later probe tries again. */
    private void anchor(long now, long cpu) {
        if (folding && depth > 0) {
            tree.advance(now);
        }
        Buffer to = anchors.head();
        if (cpu >= 0 && to.get() + 2 > to.words.length) {
            to = anchors.roll(0, 0);
        }
        if (to == null || folding && !tree.endEpoch(now)) {
            due(now + recorder.creditNs);
            return;
        }
        if (cpu >= 0) {
            int at = to.get();
            to.words[at] = now;
            to.words[at + 1] = cpu;
            to.lazySet(at + 2);
        }
        credits = Math.min(CREDITS, credits + (now - lastAnchor) / recorder.creditNs) - 1;
        lastAnchor = now;
        due(now + recorder.anchorIntervalNs(folding));
    }

    /** Event times must also stay within reach of their base. */
    private void due(long next) {
        deadline = folding ? next : Math.min(next, base + DELTA_MASK);
    }

    /**
     * Writer only: hands over what is recorded; with {@code partial} also what is in unfinished buffers. Returns false once
     * the thread is dead and all of it has been handed over: then its buffers are free again.
     */
    boolean drain(ChunkWriter out, boolean partial) {
        boolean alive = thread.isAlive();
        calls.drain(this, out, partial || !alive);
        anchors.drain(this, out, partial || !alive);
        folds.drain(this, out, partial || !alive);
        if (!alive) {
            recorder.spent(count);
            if (tree != null && tree.endEpoch(tree.last())) {
                folds.drain(this, out, true);
            }
            for (Track track : new Track[] {calls, anchors, folds}) {
                out.lost(track.takeLost());
            }
            calls.release();
            anchors.release();
            recorder.forget(this);
        }
        return alive;
    }
}
