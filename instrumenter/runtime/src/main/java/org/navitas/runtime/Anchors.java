package org.navitas.runtime;

/**
 * One thread's readings of its CPU clock; used by that thread only. A virtual thread has no clock: it reads that of the
 * thread which carries it, and adds to that thread's readings. Both run on one kernel thread, never at the same time.
 *
 * <p>An outermost call can be shorter than two clock readings. Anchors closer than a tenth of the anchor interval
 * therefore use up credit, which grows with time. A thread without credit records the next anchor when it is due.
 */
final class Anchors {
    final Track track;
    private final Platform platform;
    /** Anchors closer than this use up credit. */
    private final long creditNs;

    private long credits = Limits.CREDITS;
    private long last;
    private boolean hasCpuClock = true;
    /** The readings of the carrier of a virtual thread, and that carrier; otherwise this, and null. */
    private Anchors clock = this;

    private Thread carrier;
    /** Time of the last anchor that was not recorded for lack of a buffer; 0 if none since the last recorded one. */
    private long keptTime;

    private long keptCpu;

    Anchors(Track track, Platform platform, long creditNs, long now) {
        this.track = track;
        this.platform = platform;
        this.creditNs = creditNs;
        last = now;
    }

    /** Returns the last anchor's time. */
    long last() {
        return last;
    }

    /** Returns whether an anchor may be recorded before it is due. */
    boolean isAllowed() {
        return credits > 0 || platform.nanoTime() - last >= creditNs;
    }

    /** From now on, reads the clock of the thread that carries this virtual thread. */
    void readFrom(Anchors clock, Thread carrier) {
        this.clock = clock;
        this.carrier = carrier;
        hasCpuClock = true;
    }

    /**
     * Returns the CPU time, or -1 if this thread has no CPU clock, such as a virtual thread whose carrier is unknown. It then
     * has no anchors, only epochs.
     */
    long cpuNanos() {
        long cpu = !hasCpuClock ? -1 : carrier == null ? platform.threadCpuNanos() : platform.cpuNanosOf(carrier);
        hasCpuClock = cpu >= 0;
        return cpu;
    }

    /** Reserves space for one anchor; returns false if no buffer is free. */
    boolean hasRoom() {
        Buffer to = clock.track.head();
        return !hasCpuClock || to.get() + 2 <= to.words.length || clock.track.roll(0, 0) != null;
    }

    /** Records an anchor; {@link #hasRoom} must have returned true. */
    void add(long now, long cpu) {
        if (cpu >= 0) {
            Buffer to = clock.track.head();
            int at = to.get();
            to.words[at] = now;
            to.words[at + 1] = cpu;
            to.lazySet(at + 2);
        }
        keptTime = 0;
        credits = Math.min(Limits.CREDITS, credits + (now - last) / creditNs) - 1;
        last = now;
    }

    /**
     * Remembers an anchor of its own clock that finds no buffer. It is recorded at the thread's end, unless a later one is
     * recorded.
     */
    void keep(long now, long cpu) {
        keptTime = cpu >= 0 && carrier == null ? now : 0;
        keptCpu = cpu;
    }

    /** Called by the writer once the thread is dead: records the remembered anchor, so that no CPU time is lost. */
    void settle() {
        if (keptTime != 0) {
            track.leavePool(2);
            add(keptTime, keptCpu);
        }
    }
}
