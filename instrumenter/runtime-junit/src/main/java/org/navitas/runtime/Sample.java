package org.navitas.runtime;

/**
 * Measures what a probe costs in the thread that runs it, while the application does: some little work is done so often, a part of
 * it with probes, within one call more, all under method ids that no map gives. Samples with few probes and with many take turns.
 */
final class Sample implements Runnable {
    static final int CALLER = 0x3FFFFD;
    private static final int CALLED = 0x3FFFFE;
    private static final int TIMES = 64;
    private static final int FEW = 16;
    private static final int STEPS = 8;

    private int turn;
    /** Of all work, which is there to be needed. */
    private int result;

    @Override
    public void run() {
        result += calls(CALLER, (turn++ & 1) == 0 ? FEW : TIMES, TIMES);
    }

    /** Works so often, the first times with probes. */
    static int calls(int caller, int probed, int times) {
        int x = times;
        Probe.enter(caller);
        for (int i = 0; i < times; i++) {
            if (i < probed) {
                Probe.enter(CALLED);
            }
            x = work(x);
            if (i < probed) {
                Probe.exit(CALLED);
            }
        }
        Probe.exit(caller);
        return x;
    }

    /** Each step needs the one before: the processor does it beside the probes' own, as it does an application's. */
    static int work(int x) {
        for (int i = 0; i < STEPS; i++) {
            x = x * 31 + i;
        }
        return x;
    }
}
