package org.navitas.runtime;

import java.util.Arrays;

/**
 * One thread's recording: every method here but {@link #drain} is called by that thread alone.
 *
 * <p>Calls are events as long as the recorder gives buffers, else they are folded until the outermost call has returned.
 * At an entry the CPU clock is read before the event's time and at an exit after it, so the cost of reading it (microseconds)
 * falls into the caller's time, never the callee's; an anchor has the time of the event that it belongs to.
 *
 * <p>A probe takes a short way as long as nothing but its own record is to be done: the fields that guard it are set by
 * {@link #proceed} alone. Where ticks time the calls, a tick's time belongs to the call that it found innermost; the time from a
 * thread's last tick to the end of its outermost call belongs to the one that this tick found.
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
    /** As many as most threads ever need, so that any number of short ones is anchored. */
    private static final int OWN_ANCHOR_WORDS = 16;
    private static final long[] NONE = {};
    private static final long NO_TICK = Long.MIN_VALUE;
    /** Many threads live no longer: so long their calls are timed exactly even where ticks time them. */
    private static final long YOUNG_NS = 2_000_000;

    final Thread thread;
    final long serial;
    final int osTid;
    private final Recorder recorder;
    private final Platform platform;
    private final Track calls;
    private final Anchors anchors;
    private final Track folds;

    /** Where events go; empty while this thread records none, is outside of any call, or the runtime is at work on it. */
    private long[] words = NONE;
    private int count;
    private long base;
    private Buffer buffer;

    /** When the next anchor, or at the latest the next base, is due. */
    private long deadline;

    /** Method ids of open calls, as far as it reaches; while events are recorded. */
    private int[] stack = new int[64];
    private int depth;
    private final CallTree tree;
    /** Until an outermost call gets a buffer for events. */
    private boolean folding = true;
    /** Whether probes may go straight to the tree, with exact times: never while {@link #words} is in use. */
    private boolean foldsExactly;
    /** Calls are timed by ticks. */
    private boolean ticking;
    /** The tick that this thread has seen last. */
    private long lastTick;
    /** The same as long as probes may go straight to the tree, without a time, until the next one. */
    private long tick = NO_TICK;
    private final Ticker ticker;
    private long nextRenewal;
    private final long born;
    /** The runtime is at work on this thread: probes met on its way (in a class loader, say) are none of ours. */
    private boolean busy;

    ThreadRecorder(Recorder recorder, Thread thread, long serial, int osTid) {
        this.recorder = recorder;
        this.thread = thread;
        this.serial = serial;
        this.osTid = osTid;
        platform = recorder.platform;
        ticker = recorder.ticker;
        calls = new Track(CALLS, 0, recorder.eventBuffers, recorder.writer);
        folds = new Track(FOLDED, 0, new BufferPool(64, 4), recorder.writer);
        tree = new CallTree(folds, recorder.maxNodes);
        born = platform.nanoTime();
        anchors = new Anchors(new Track(ANCHORS, OWN_ANCHOR_WORDS, recorder.anchorBuffers, recorder.writer), platform, recorder.creditNs, born);
        nextRenewal = born;
    }

    /** For threads of the runtime itself, and while a thread is being registered: records nothing. */
    static ThreadRecorder ignoring(Recorder recorder) {
        ThreadRecorder ignoring = new ThreadRecorder(recorder, null, 0, 0);
        ignoring.busy = true;
        return ignoring;
    }

    void enter(int method) {
        long[] to = words;
        int n = count;
        if (n < to.length) {
            int d = depth;
            int[] open = stack;
            long now = platform.nanoTime();
            if (now - deadline < 0 && d < open.length) {
                // The published count first: a stack overflow in this call must leave nothing half done.
                to[n] = (long) method << DELTA_BITS | now - base;
                buffer.lazySet(n + 1);
                count = n + 1;
                open[d] = method;
                depth = d + 1;
                return;
            }
        } else if (foldsExactly) {
            long now = platform.nanoTime();
            if (now - deadline < 0 && tree.enter(method, now)) {
                return;
            }
        }
        slowEnter(method, ENTER);
    }

    /** An entry that counts no call. Rare enough to take the slow way always. */
    void resume(int method) {
        slowEnter(method, RESUME);
    }

    /** {@code kind} is {@link #EXIT} or {@link #THROW}. */
    void exit(int method, long kind) {
        long now = platform.nanoTime();
        long[] to = words;
        int n = count;
        if (n < to.length) {
            int d = depth - 1;
            int[] open = stack;
            if (now - deadline < 0 && d > 0 && d < open.length && open[d] == method) {
                to[n] = kind | (long) method << DELTA_BITS | now - base;
                buffer.lazySet(n + 1);
                count = n + 1;
                depth = d;
                return;
            }
        } else if (foldsExactly && now - deadline < 0 && tree.exit(method, kind == THROW, now)) {
            return;
        }
        slowExit(method, kind, now);
    }

    /** {@link #enter} where time comes from ticks; {@code time} is the last one. */
    void tickedEnter(int method, long time) {
        if (time != tick || !tree.enter(method)) {
            enter(method);
        }
    }

    /** {@link #exit} where time comes from ticks; {@code time} is the last one. */
    void tickedExit(int method, long kind, long time) {
        if (time != tick || !tree.exit(method, kind == THROW)) {
            exit(method, kind);
        }
    }

    private void slowEnter(int method, long kind) {
        if (busy) {
            return;
        }
        begin();
        try {
            boolean outermost = isOutside();
            if (outermost && folding) {
                resumeEvents();
                lastTick = ticking ? ticker.time : NO_TICK;
            }
            boolean due = outermost ? anchors.isAllowed() : isDue(platform.nanoTime());
            long cpu = due ? anchors.cpuNanos() : -1;
            long now = platform.nanoTime();
            if (outermost && folding) {
                tree.resume(now); // time up to now is nobody's
            }
            if (due) {
                anchor(now, cpu);
            }
            recordEnter(method, kind, now);
            proceed();
        } catch (Throwable e) {
            busy = !(e instanceof StackOverflowError); // first of all: what follows may meet the next one
            failed(e);
        }
    }

    private void slowExit(int method, long kind, long now) {
        if (busy) {
            return;
        }
        begin();
        try {
            boolean due = isDue(now);
            recordExit(method, kind, now);
            if (isOutside() ? anchors.isAllowed() : due) {
                anchor(now, anchors.cpuNanos());
            }
            proceed();
        } catch (Throwable e) {
            busy = !(e instanceof StackOverflowError); // first of all: what follows may meet the next one
            failed(e);
        }
    }

    /** Until {@link #proceed}, no probe takes a short way. */
    private void begin() {
        busy = true;
        words = NONE;
        foldsExactly = false;
        tick = NO_TICK;
    }

    private void proceed() {
        if (!folding) {
            words = depth > 0 ? buffer.words : NONE;
        } else if (!tree.isIdle() && !tree.isHiding()) {
            foldsExactly = !ticking;
            tick = ticking ? lastTick : NO_TICK;
        }
        busy = false;
    }

    private boolean isOutside() {
        return folding ? tree.isIdle() : depth == 0;
    }

    /** Whether an anchor is due inside of a call. Ticks are looked at first: until now the innermost open call was the same. */
    private boolean isDue(long now) {
        if (!ticking) {
            return now - deadline >= 0;
        }
        long time = ticker.time;
        if (time != lastTick && !tree.isIdle()) {
            tree.tick(time);
        }
        lastTick = time;
        return time - deadline >= 0;
    }

    /** A stack overflow is the application's own, which meets it right after; anything else ends this thread's recording. */
    private void failed(Throwable cause) {
        calls.lose(1);
        if (busy) {
            recorder.failed(cause);
        }
    }

    private void recordEnter(int method, long kind, long now) {
        if (!folding && event(kind, method, now)) {
            push(method);
            depth++;
            return;
        }
        if (!ticking) {
            tree.advance(now);
        }
        int counts = kind == ENTER ? 1 : 0;
        if (!tree.open(method, counts) && !(renewTree() && tree.open(method, counts))) {
            tree.hide(1);
            folds.lose(1);
        }
    }

    private void recordExit(int method, long kind, long now) {
        // Calls whose own exit was missed (a stack overflow inside a probe) end here, by throw.
        int open = folding ? 0 : find(method);
        if (open < 0) {
            calls.lose(1); // an exit without its entry
            return;
        }
        while (!folding && depth - 1 > open) {
            int inner = depth - 1;
            if (event(THROW, inner < stack.length ? stack[inner] : method, now)) {
                depth = inner;
            }
        }
        if (!folding && event(kind, method, now)) {
            depth--;
            return;
        }
        if (!ticking) {
            tree.advance(now);
        }
        if (tree.close(method, kind == THROW) && ticking && tree.isIdle()) {
            tree.inherit(now);
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
        if (count == buffer.words.length || now - base > DELTA_MASK) {
            recorder.spent(count);
            Buffer next = recorder.eventsAllowed() ? calls.roll(now, 0) : null;
            if (next == null) {
                startFolding(now);
                return false;
            }
            use(next);
        }
        buffer.words[count] = kind | (long) method << DELTA_BITS | now - base;
        buffer.lazySet(count + 1);
        count++;
        return true;
    }

    private void use(Buffer next) {
        buffer = next;
        count = 0;
        base = next.base;
        folding = false;
        due(anchors.last() + recorder.anchorIntervalNs(false));
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
        return tree.endEpoch();
    }

    /** The first epoch begins at the last event, so no time is missed; the anchor makes now a knot. */
    private void startFolding(long now) {
        tree.resume(count > 0 ? base + (buffer.words[count - 1] & DELTA_MASK) : now);
        int known = Math.min(depth, stack.length);
        for (int i = 0; i < known; i++) {
            tree.reopen(stack[i]);
        }
        tree.hide(depth - known);
        calls.leavePool(0);
        buffer = null;
        count = 0;
        folding = true;
        anchor(now, anchors.cpuNanos());
    }

    /** A full tree makes way for a new one: at once, or beyond the budget once an anchor interval. */
    private boolean renewTree() {
        long now = platform.nanoTime();
        if (now - nextRenewal < 0) {
            return false;
        }
        nextRenewal = now + recorder.creditNs;
        if (!tree.mayRenew() || !publish()) {
            return false;
        }
        tree.renew();
        nextRenewal = now + recorder.renewalNs();
        return true;
    }

    /** Records an anchor and ends the epoch; when a buffer is missing for either, a later probe tries again. */
    private void anchor(long now, long cpu) {
        if (folding && !ticking && !tree.isIdle()) {
            tree.advance(now);
        }
        if (!anchors.hasRoom() || folding && !publish()) {
            anchors.keep(now, cpu);
            due(now + recorder.creditNs);
            return;
        }
        anchors.add(now, cpu);
        due(now + recorder.anchorIntervalNs(folding));
        if (now - born >= YOUNG_NS) {
            recorder.threads.prefer(this);
            if (ticker != null && !ticking) {
                ticking = true;
                lastTick = ticker.time;
            }
        }
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
        anchors.track.drain(this, out, partial || !alive);
        folds.drain(this, out, partial || !alive);
        if (!alive) {
            recorder.spent(count);
            anchors.settle();
            anchors.track.drain(this, out, true);
            if (publish()) {
                folds.drain(this, out, true);
            }
            out.lost(takeLost());
            calls.release();
            anchors.track.release();
            recorder.threads.forget(this);
        }
        return alive;
    }

    /** Writer only: records lost that no chunk has told of. */
    int takeLost() {
        return calls.takeLost() + anchors.track.takeLost() + folds.takeLost();
    }
}
