package org.navitas.runtime;

/**
 * Measures what a probe costs in the thread that runs it, while the application runs. Small methods call smaller ones,
 * some of them with probes, within one outer call. All have reserved method ids. Samples with few probes and with many
 * alternate.
 *
 * <p>Each method exists twice, with probes and without. The compiler inlines those without probes, as it does with an
 * application's methods. The difference therefore includes inlining that the probes prevent. The methods are small, so
 * that they are compiled as early as the application's methods.
 */
final class Sample implements Runnable {
    static final int CALLER = 0x3FFFFD;
    /** Calls of a chain: a link, which calls a leaf. */
    static final int CHAIN = 2;

    private static final int LINK = 0x3FFFFB;
    private static final int LEAF = 0x3FFFFE;
    private static final int FEW = 8;
    private static final int CHAINS = 32;
    private static final int STEPS = 2;

    private int turn;
    /** Result of all work; keeps the compiler from removing it. */
    private int result;

    @Override
    public void run() {
        result += chains(CALLER, (turn++ & 1) == 0 ? FEW : CHAINS, CHAINS);
    }

    /** Runs {@code times} chains of calls, the first {@code probed} of them with probes. */
    static int chains(int caller, int probed, int times) {
        Probe.enter(caller);
        int result = plain(probed(times, probed), times - probed);
        Probe.exit(caller);
        return result;
    }

    private static int probed(int start, int times) {
        int x = start;
        for (int i = 0; i < times; i++) {
            x = probedLink(x);
        }
        return x;
    }

    /** A separate loop: the compiler compiles it long before the one with probes. */
    private static int plain(int start, int times) {
        int x = start;
        for (int i = 0; i < times; i++) {
            x = link(x);
        }
        return x;
    }

    /** Each step depends on the previous one, so the processor cannot overlap them. */
    static int work(int x) {
        for (int i = 0; i < STEPS; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    private static int link(int x) {
        return leaf(x) + 1;
    }

    private static int leaf(int x) {
        return work(x);
    }

    private static int probedLink(int x) {
        Probe.enter(LINK);
        try {
            int result = probedLeaf(x) + 1;
            Probe.exit(LINK);
            return result;
        } catch (Throwable e) {
            Probe.thrown(LINK);
            throw e;
        }
    }

    private static int probedLeaf(int x) {
        Probe.enter(LEAF);
        try {
            int result = work(x);
            Probe.exit(LEAF);
            return result;
        } catch (Throwable e) {
            Probe.thrown(LEAF);
            throw e;
        }
    }
}
