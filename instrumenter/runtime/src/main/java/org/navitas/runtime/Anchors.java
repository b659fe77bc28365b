package org.navitas.runtime;

/**
 * One thread's readings of its own CPU clock; used by that thread alone.
 *
 * <p>Outermost calls may be so short that two clock readings would cost more than they do. So anchors closer than a tenth
 * of the anchor interval use up a credit, which time gives back; a thread without credit waits for the next anchor that is due.
 */
final class Anchors {
    final Track track;
    private final Platform platform;
    /** Anchors closer than this use up credit. */
    private final long creditNs;
    private long credits = Limits.CREDITS;
    private long last;
    private boolean hasCpuClock = true;
    /** The last anchor that found no room, 0 when there was room since. */
    private long keptTime;
    private long keptCpu;

    Anchors(Track track, Platform platform, long creditNs, long now) {
        this.track = track;
        this.platform = platform;
        this.creditNs = creditNs;
        last = now;
    }

    /** The last anchor's time. */
    long last() {
        return last;
    }

    /** Whether an anchor may be recorded that is not due. */
    boolean isAllowed() {
        return credits > 0 || platform.nanoTime() - last >= creditNs;
    }

    /** -1 when this thread has no CPU clock (a virtual thread): it has no anchors then, only epochs. */
    long cpuNanos() {
        long cpu = hasCpuClock ? platform.threadCpuNanos() : -1;
        hasCpuClock = cpu >= 0;
        return cpu;
    }

    /** Makes room for one; false when no buffer is free. */
    boolean hasRoom() {
        Buffer to = track.head();
        return !hasCpuClock || to.get() + 2 <= to.words.length || track.roll(0, 0) != null;
    }

    /** There must be room. */
    void add(long now, long cpu) {
        if (cpu >= 0) {
            Buffer to = track.head();
            int at = to.get();
            to.words[at] = now;
            to.words[at + 1] = cpu;
            to.lazySet(at + 2);
        }
        keptTime = 0;
        credits = Math.min(Limits.CREDITS, credits + (now - last) / creditNs) - 1;
        last = now;
    }

    /** There is no room: it is recorded at the thread's end unless a later one is. */
    void keep(long now, long cpu) {
        keptTime = cpu >= 0 ? now : 0;
        keptCpu = cpu;
    }

    /** Writer only, once the thread is dead: no CPU time of its is lost for want of a buffer. */
    void settle() {
        if (keptTime != 0) {
            track.leavePool(2);
            add(keptTime, keptCpu);
        }
    }
}
