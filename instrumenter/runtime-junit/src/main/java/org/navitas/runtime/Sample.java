package org.navitas.runtime;

/**
 * Measures what a probe costs in the thread that runs it, while the application does: small methods call one another eight deep,
 * some of them with probes, within one call more, all under method ids that no map gives. Samples with few probes and with many
 * take turns.
 *
 * <p>The methods are tiny and nested, and exist twice, with probes and without. The compiler inlines those without probes, as it
 * does an application's. So the difference also holds what such methods lose by their probes: a call that is no longer inlined,
 * and the records of several callees in turn.
 */
final class Sample implements Runnable {
    static final int CALLER = 0x3FFFFD;
    /** Calls of a chain: as many links as leaves. */
    static final int CHAIN = 16;
    private static final int LINK = 0x3FFFFB;
    private static final int LEAF = 0x3FFFFE;
    private static final int DEPTH = CHAIN / 2 - 1;
    private static final int CHAINS = 4;
    private static final int STEPS = 2;

    private int turn;
    /** Of all work, which is there to be needed. */
    private int result;

    @Override
    public void run() {
        result += chains(CALLER, (turn++ & 1) == 0 ? 1 : CHAINS, CHAINS);
    }

    /** Works through so many chains of calls, the first ones with probes. */
    static int chains(int caller, int probed, int times) {
        int x = times;
        Probe.enter(caller);
        for (int i = 0; i < times; i++) {
            x = i < probed ? probedLink(DEPTH, x) : link(DEPTH, x);
        }
        Probe.exit(caller);
        return x;
    }

    /** Each step needs the one before. */
    static int work(int x) {
        for (int i = 0; i < STEPS; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    private static int link(int depth, int x) {
        return depth == 0 ? leaf(x) : otherLink(depth - 1, leaf(x));
    }

    private static int otherLink(int depth, int x) {
        return depth == 0 ? leaf(x) : link(depth - 1, leaf(x));
    }

    private static int leaf(int x) {
        return work(x);
    }

    private static int probedLink(int depth, int x) {
        Probe.enter(LINK);
        try {
            int result = depth == 0 ? probedLeaf(x) : otherProbedLink(depth - 1, probedLeaf(x));
            Probe.exit(LINK);
            return result;
        } catch (Throwable e) {
            Probe.thrown(LINK);
            throw e;
        }
    }

    private static int otherProbedLink(int depth, int x) {
        Probe.enter(LINK);
        try {
            int result = depth == 0 ? probedLeaf(x) : probedLink(depth - 1, probedLeaf(x));
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
