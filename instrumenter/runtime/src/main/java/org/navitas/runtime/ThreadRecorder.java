package org.navitas.runtime;

/**
 * The recording of one thread. That thread alone calls every method except {@link #drain}.
 *
 * <p>Calls are events while the recorder provides buffers. Otherwise they are folded until the outermost call has
 * returned. The CPU clock is read before the event's time at an entry, and after it at an exit. The cost of reading
 * (microseconds) is thus part of the caller's time, never of the callee's. An anchor has the time of its event.
 *
 * <p>A probe takes the fast path while it only has to add its own record; {@link #proceed} alone sets the fields that
 * control this. In tick mode, the time of a tick belongs to the call that was innermost at the tick. The time from the
 * last tick to the end of an outermost call also belongs to that call, if the tick was within this outermost call or an
 * earlier one of the same method and test.
 */
final class ThreadRecorder extends CallEvents {
    final Thread thread;
    final long serial;
    final int osTid;
    private final Platform platform;
    private final Ticker ticker;
    private final Track folds;
    private final Anchors anchors;
    private final Track hooks;
    private final Track handoffs;
    /** Null until the thread has such a record: few threads do. */
    private volatile RecordLog communications;
    /** Which virtual threads this thread carries; null until it carries a recorded one. */
    private volatile RecordLog mounts;

    private final CallTree tree;
    /** The thread's executions of basic blocks; null until it counts some. */
    RecordLog blocks;

    /** Whether probes can use the tree directly, with exact times; never while they record events. */
    private boolean foldsExactly;
    /** The last tick seen by this thread, while probes can use the tree directly without a time. */
    private long tick = Limits.NO_TICK;
    /** The last tick seen by this thread, at any time. */
    private long lastTick;

    /** Whether calls are folded; true until an outermost call gets an event buffer. */
    private boolean folding = true;
    /** Whether ticks time the calls. */
    private boolean ticking;
    /** How many marks there were at the last outermost entry. */
    private int marks;
    /** Whether the runtime runs on this thread; it then ignores nested probes (in a class loader, for example). */
    private boolean busy;
    /** When the next anchor is due. */
    private long deadline;

    private long nextRenewal;
    private final long born;

    ThreadRecorder(Recorder recorder, Thread thread, long serial, int osTid) {
        super(recorder, new Track(Format.CALLS, 0, recorder.eventBuffers, recorder.writer));
        this.thread = thread;
        this.serial = serial;
        this.osTid = osTid;
        platform = recorder.platform;
        ticker = recorder.ticker;
        folds = new Track(Format.FOLDED, 0, recorder.foldBuffers, recorder.writer);
        tree = new CallTree(folds, Limits.THREAD_NODES, recorder.spareNodes);
        born = platform.nanoTime();
        Track anchorTrack = new Track(Format.ANCHORS, Limits.OWN_ANCHOR_WORDS, recorder.anchorBuffers, recorder.writer);
        anchors = new Anchors(anchorTrack, platform, recorder.creditNs, born);
        nextRenewal = born;
        hooks = new Track(Format.HOOKS, 0, recorder.hookBuffers, recorder.writer);
        handoffs = new Track(Format.HANDOFFS, 0, recorder.hookBuffers, recorder.writer);
    }

    /** Creates a recorder that records nothing: for threads of the runtime, and while a thread is registered. */
    static ThreadRecorder ignoring(Recorder recorder) {
        ThreadRecorder ignoring = new ThreadRecorder(recorder, null, 0, 0);
        ignoring.busy = true;
        return ignoring;
    }

    /** Records an entry. The platform is passed because it is a constant in the probe. */
    void enter(int method, Platform clock) {
        if (foldsExactly ? !enterFold(method, clock.nanoTime()) : !enterEvent(method, clock)) {
            slowEnter(method, Format.ENTER);
        }
    }

    private boolean enterFold(int method, long now) {
        return now < deadline && tree.enter(method, now);
    }

    /** Records an entry that counts no call. Always on the slow path, since it is rare. */
    void resume(int method) {
        slowEnter(method, Format.RESUME);
    }

    /** Records an end; {@code kind} is {@link Format#EXIT} or {@link Format#THROW}. */
    void exit(int method, long kind, Platform clock) {
        long now = clock.nanoTime();
        if (foldsExactly
                ? now >= deadline || !tree.exit(method, kind == Format.THROW, now)
                : !exitEvent(method, kind, now)) {
            slowExit(method, kind, now);
        }
    }

    /** {@link #enter} in tick mode; {@code time} is the last tick's. */
    void tickedEnter(int method, long time) {
        if (time != tick || !tree.enter(method)) {
            enter(method, platform);
        }
    }

    /** {@link #exit} in tick mode; {@code time} is the last tick's. */
    void tickedExit(int method, long kind, long time) {
        if (time != tick || !tree.exit(method, kind == Format.THROW)) {
            exit(method, kind, platform);
        }
    }

    /** Records what the current call, of an API, did. Its words are those of docs/dev/formats.md, without the node. */
    void hook(long start, long end, long amount, int kindAndFlags, long handle) {
        if (busy) {
            return;
        }
        Buffer to = room(hooks, Format.HOOK_WORDS);
        if (to != null) {
            int node = node();
            int at = to.get();
            long[] words = to.words;
            words[at] = start;
            words[at + 1] = end;
            words[at + 2] = amount;
            words[at + 3] = (long) node << 32 | kindAndFlags;
            words[at + 4] = handle;
            to.lazySet(at + Format.HOOK_WORDS);
        }
    }

    /** Returns the number of the current call in the tree of folded calls, {@link Format#NO_NODE} if calls are events. */
    int node() {
        return folding ? tree.currentNumber() : Format.NO_NODE;
    }

    /** Records that this thread ran work of another thread, or of its own past; {@code origin} is {@link Hook#origin}'s. */
    void handoff(long start, long end, long[] origin) {
        if (busy) {
            return;
        }
        Buffer to = room(handoffs, Format.HANDOFF_WORDS);
        if (to != null) {
            int at = to.get();
            long[] words = to.words;
            words[at] = start;
            words[at + 1] = end;
            words[at + 2] = origin[0];
            words[at + 3] = origin[1];
            words[at + 4] = origin[2];
            to.lazySet(at + Format.HANDOFF_WORDS);
        }
    }

    /** Records that components of the app communicate; the parameters are those of docs/dev/formats.md. */
    void communication(
            long time, long token, int kindAndFlags, long periodMs, String module, String target, String action) {
        if (busy) {
            return;
        }
        if (communications == null) {
            communications = new RecordLog(Format.COMMUNICATIONS);
        }
        communications.communication(time, token, kindAndFlags, periodMs, node(), module, target, action);
    }

    /** Records that this thread carries a virtual thread from now on, or none (0). */
    void carries(long serial) {
        long cpu = platform.cpuNanosOf(thread);
        long now = platform.nanoTime();
        if (mounts == null) {
            mounts = new RecordLog(Format.MOUNTS, Limits.MOUNT_BYTES);
        }
        mounts.mount(now, cpu, serial);
        recorder.spent(Format.MOUNT_WORDS);
    }

    /** From now on, this virtual thread's CPU time is that of a thread which carries it; null if that is unknown. */
    void mountOn(ThreadRecorder carrier) {
        anchors.readFrom(carrier == null ? anchors : carrier.anchors, carrier == null ? null : carrier.thread);
    }

    /** Returns a buffer with space for one record; returns null, and counts the record as lost, if none is free. */
    private static Buffer room(Track track, int words) {
        Buffer to = track.head();
        if (to.get() + words > to.words.length) {
            to = track.roll(0, 0);
            if (to == null) {
                track.lose(1);
            }
        }
        return to;
    }

    private void slowEnter(int method, long kind) {
        if (busy) {
            return;
        }
        boolean recorded = false;
        try {
            begin();
            boolean outermost = isOutside();
            boolean due = false;
            if (outermost && folding) {
                resumeEvents();
                lastTick = ticking ? ticker.time : Limits.NO_TICK;
                due = marks != recorder.marks;
                if (due) {
                    marks = recorder.marks;
                    tree.forget();
                }
            }
            due = due || (outermost ? anchors.isAllowed() : isDue(platform.nanoTime()));
            long cpu = due ? anchors.cpuNanos() : -1;
            long now = platform.nanoTime();
            if (due) {
                anchor(now, cpu); // first: the epoch ends with the last exit, which can be in an earlier test
            }
            if (outermost && folding) {
                tree.resume(now); // the time since the last exit is not counted
            }
            recordEnter(method, kind, now);
            recorded = true;
            proceed();
        } catch (Throwable e) {
            busy = !(e instanceof StackOverflowError); // first: the next statement can overflow the stack again
            if (busy) {
                failed(e);
            } else if (!recorded) {
                throw e; // the application's overflow, slightly early: the call does not begin, so it has no end
            }
        }
    }

    private void slowExit(int method, long kind, long now) {
        if (busy) {
            return;
        }
        try {
            begin();
            boolean due = isDue(now);
            recordExit(method, kind, now);
            if (isOutside() ? anchors.isAllowed() : due) {
                anchor(now, anchors.cpuNanos());
            }
            proceed();
            Runnable sample = recorder.sample;
            if (due && sample != null && !isOutside() && (folding || rolled)) {
                rolled = false;
                sample.run();
            }
        } catch (Throwable e) {
            busy = !(e
                    instanceof
                    StackOverflowError); // after an overflow, the end of an enclosing call records the missed ends
            if (busy) {
                failed(e);
            }
        }
    }

    /** Disables the fast path until {@link #proceed}. */
    private void begin() {
        busy = true;
        holdEvents();
        foldsExactly = false;
        tick = Limits.NO_TICK;
    }

    private void proceed() {
        if (!folding) {
            allowEvents(deadline);
        } else if (!tree.isIdle() && !tree.isHiding()) {
            foldsExactly = !ticking;
            tick = ticking ? lastTick : Limits.NO_TICK;
        }
        busy = false;
    }

    private boolean isOutside() {
        return folding ? tree.isIdle() : isOutsideOfEvents();
    }

    /**
     * Returns whether an anchor is due inside a call. Handles ticks first: the innermost open call has not changed
     * until now.
     */
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

    /** Ends this thread's recording. */
    private void failed(Throwable cause) {
        calls.lose(1);
        recorder.failed(cause);
    }

    private void recordEnter(int method, long kind, long now) {
        if (!folding) {
            if (openEvent(method, kind, now)) {
                return;
            }
            startFolding(now);
        }
        if (!ticking) {
            tree.advance(now);
        }
        int counts = kind == Format.ENTER ? 1 : 0;
        if (!tree.open(method, counts) && !(renewTree() && tree.open(method, counts))) {
            folds.lose(1);
            tree.hide(1);
        }
    }

    private void recordExit(int method, long kind, long now) {
        if (!folding) {
            if (closeEvent(method, kind, now)) {
                return;
            }
            startFolding(now);
        }
        if (!ticking) {
            tree.advance(now);
        }
        if (tree.close(method, kind == Format.THROW) && ticking && tree.isIdle()) {
            tree.inherit(now);
        }
    }

    /** Called only after folded calls are published: while events continue, nothing would publish them. */
    private void resumeEvents() {
        if (recorder.eventsAllowed() && publish() && rollEvents(platform.nanoTime())) {
            folding = false;
            deadline = anchors.last() + recorder.anchorIntervalNs(false);
        }
    }

    /** Publishes the calls folded so far; returns false if no buffer is free. */
    boolean publish() {
        return tree.endEpoch();
    }

    /**
     * Starts folding. The first epoch begins at the last event, so no time is missed; the anchor adds a point at the
     * current time.
     */
    private void startFolding(long now) {
        moveEvents(tree, now);
        folding = true;
        anchor(now, anchors.cpuNanos());
    }

    /** Replaces a full tree by a new one: at once, or beyond the budget once per anchor interval. */
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

    /** Records an anchor and ends the epoch. If a buffer is missing for either, a later probe tries again. */
    private void anchor(long now, long cpu) {
        if (folding && !ticking && !tree.isIdle()) {
            tree.advance(now);
        }
        if (!anchors.hasRoom() || folding && !publish()) {
            anchors.keep(now, cpu);
            deadline = now + recorder.creditNs;
            return;
        }
        anchors.add(now, cpu);
        deadline = now + recorder.anchorIntervalNs(folding);
        if (now - born >= Limits.YOUNG_NS) {
            recorder.threads.prefer(this);
            if (ticker != null && !ticking) {
                ticking = true;
                lastTick = ticker.time;
            }
        }
    }

    /**
     * Called by the writer only: passes on what is recorded, with {@code partial} also unfinished buffers. Returns
     * false once the thread is dead and everything is passed on; its buffers are then free again.
     */
    boolean drain(ChunkWriter out, boolean partial) {
        boolean alive = thread.isAlive();
        calls.drain(this, out, partial || !alive);
        anchors.track.drain(this, out, partial || !alive);
        folds.drain(this, out, partial || !alive);
        hooks.drain(this, out, partial || !alive);
        handoffs.drain(this, out, partial || !alive);
        if (communications != null && (partial || !alive)) {
            communications.drain(this, out);
        }
        if (mounts != null && (partial || !alive)) {
            mounts.drain(this, out);
        }
        if (!alive) {
            spendEvents();
            anchors.settle();
            anchors.track.drain(this, out, true);
            tree.end();
            folds.drain(this, out, true);
            calls.release();
            anchors.track.release();
            hooks.release();
            handoffs.release();
            recorder.threads.forget(this);
        }
        return alive;
    }
}
