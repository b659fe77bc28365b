package org.navitas.bench;

import org.navitas.runtime.Probe;

/**
 * Makes many calls of four methods within one outermost call. The calls have probes unless the second argument is
 * {@code plain}. Prints nothing: its cost shows in the event file and in the peak memory.
 */
public final class ManyCalls {
    private static final int OUTERMOST = 0;
    private static final int CALLER = 1;
    private static final int FIRST_LEAF = 2;
    private static final int LEAVES = 3;

    private ManyCalls() {}

    public static void main(String[] arguments) {
        long calls = Long.parseLong(arguments[0]);
        boolean probed = arguments.length == 1;
        long result = 0;
        if (probed) {
            Probe.enter(OUTERMOST);
        }
        for (long done = 1; done < calls; done += 1 + LEAVES) {
            result += probed ? caller(done) : plainCaller(done);
        }
        if (probed) {
            Probe.exit(OUTERMOST);
        }
        if (result == 0) {
            throw new AssertionError("nothing was called");
        }
    }

    private static long caller(long x) {
        Probe.enter(CALLER);
        long result = x;
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            result = leaf(FIRST_LEAF + leaf, result);
        }
        Probe.exit(CALLER);
        return result;
    }

    private static long leaf(int id, long x) {
        Probe.enter(id);
        long result = x * 31 + id;
        Probe.exit(id);
        return result;
    }

    private static long plainCaller(long x) {
        long result = x;
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            result = result * 31 + FIRST_LEAF + leaf;
        }
        return result;
    }
}
