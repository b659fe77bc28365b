package org.navitas.runtime;

import java.util.Map;
import java.util.TreeMap;

/** A stub of the runtime that keeps each thread's counters. */
public final class BlockProbe {
    private static final ThreadLocal<Map<Integer, long[]>> COUNTS = ThreadLocal.withInitial(TreeMap::new);

    private BlockProbe() {}

    /** Returns the calling thread's counters of a method, or null. */
    public static long[] found(int id) {
        return COUNTS.get().get(id);
    }

    /** Returns the calling thread's counters of a method. */
    public static long[] find(int id, int counters) {
        return COUNTS.get().computeIfAbsent(id, k -> new long[counters]);
    }

    /** Returns the calling thread's counters by method id since the last call. */
    public static Map<Integer, long[]> take() {
        Map<Integer, long[]> taken = COUNTS.get();
        COUNTS.remove();
        return taken;
    }
}
