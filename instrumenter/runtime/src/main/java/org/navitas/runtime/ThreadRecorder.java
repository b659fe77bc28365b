package org.navitas.runtime;

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
final class ThreadRecorder extends CallEvents {
    final Thread thread;
    final long serial;
    final int osTid;
    private final Platform platform;
    private final Ticker ticker;
    private final Track folds;
    private final Anchors anchors;
    private final CallTree tree;

    /** Whether probes may go straight to the tree, with exact times: never while they may go to the events. */
    private boolean foldsExactly;
    /** The tick that this thread has seen last, as long as probes may go straight to the tree, without a time. */
    private long tick = Limits.NO_TICK;
    /** The same at any time. */
    private long lastTick;

    /** Until an outermost call gets a buffer for events. */
    private boolean folding = true;
    /** Calls are timed by ticks. */
    private boolean ticking;
    /** The runtime is at work on this thread: probes met on its way (in a class loader, say) are none of ours. */
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
    }

    /** For threads of the runtime itself, and while a thread is being registered: records nothing. */
    static ThreadRecorder ignoring(Recorder recorder) {
        ThreadRecorder ignoring = new ThreadRecorder(recorder, null, 0, 0);
        ignoring.busy = true;
        return ignoring;
    }

    /** The clock is the platform: handed over, it is a constant to the probe. */
    void enter(int method, Platform clock) {
        if (foldsExactly ? !enterFold(method, clock.nanoTime()) : !enterEvent(method, clock)) {
            slowEnter(method, Format.ENTER);
        }
    }

    private boolean enterFold(int method, long now) {
        return now < deadline && tree.enter(method, now);
    }

    /** An entry that counts no call. Rare enough to take the slow way always. */
    void resume(int method) {
        slowEnter(method, Format.RESUME);
    }

    /** {@code kind} is {@link Format#EXIT} or {@link Format#THROW}. */
    void exit(int method, long kind, Platform clock) {
        long now = clock.nanoTime();
        if (foldsExactly ? now >= deadline || !tree.exit(method, kind == Format.THROW, now) : !exitEvent(method, kind, now)) {
            slowExit(method, kind, now);
        }
    }

    /** {@link #enter} where time comes from ticks; {@code time} is the last one. */
    void tickedEnter(int method, long time) {
        if (time != tick || !tree.enter(method)) {
            enter(method, platform);
        }
    }

    /** {@link #exit} where time comes from ticks; {@code time} is the last one. */
    void tickedExit(int method, long kind, long time) {
        if (time != tick || !tree.exit(method, kind == Format.THROW)) {
            exit(method, kind, platform);
        }
    }

    private void slowEnter(int method, long kind) {
        if (busy) {
            return;
        }
        boolean recorded = false;
        try {
            begin();
            boolean outermost = isOutside();
            if (outermost && folding) {
                resumeEvents();
                lastTick = ticking ? ticker.time : Limits.NO_TICK;
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
            recorded = true;
            proceed();
        } catch (Throwable e) {
            busy = !(e instanceof StackOverflowError); // first of all: what follows may meet the next one
            if (busy) {
                failed(e);
            } else if (!recorded) {
                throw e; // the application's own, a moment early: the call does not begin, so no end of it is to come
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
            busy = !(e instanceof StackOverflowError); // after one, the end of an enclosing call records what is missed here
            if (busy) {
                failed(e);
            }
        }
    }

    /** Until {@link #proceed}, no probe takes a short way. */
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

    /** Only once what was folded is published: nothing would do it later, while events go on. */
    private void resumeEvents() {
        if (recorder.eventsAllowed() && publish() && rollEvents(platform.nanoTime())) {
            folding = false;
            deadline = anchors.last() + recorder.anchorIntervalNs(false);
        }
    }

    /** This thread's own: publishes what is folded so far; false when no buffer is free for it. */
    boolean publish() {
        return tree.endEpoch();
    }

    /** The first epoch begins at the last event, so no time is missed; the anchor makes now a knot. */
    private void startFolding(long now) {
        moveEvents(tree, now);
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
     * Writer only: hands over what is recorded; with {@code partial} also what is in unfinished buffers. Returns false once
     * the thread is dead and all of it has been handed over: then its buffers are free again.
     */
    boolean drain(ChunkWriter out, boolean partial) {
        boolean alive = thread.isAlive();
        calls.drain(this, out, partial || !alive);
        anchors.track.drain(this, out, partial || !alive);
        folds.drain(this, out, partial || !alive);
        if (!alive) {
            spendEvents();
            anchors.settle();
            anchors.track.drain(this, out, true);
            tree.end();
            folds.drain(this, out, true);
            calls.release();
            anchors.track.release();
            recorder.threads.forget(this);
        }
        return alive;
    }
}
