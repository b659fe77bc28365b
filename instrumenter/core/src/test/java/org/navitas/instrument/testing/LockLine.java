package org.navitas.instrument.testing;

import java.util.Arrays;

/** The locks that a method holds at one instruction of dex code, and which registers hold the locked objects. */
final class LockLine {
    /** ART verifies only code that holds at most this many (AOSP: kMaxMonitorStackDepth of the verifier). */
    static final int MOST = 32;

    /** By register: a bit for each held lock, whose position is its depth. */
    private final long[] depths;

    private int held;

    LockLine(int registers) {
        depths = new long[registers];
    }

    LockLine copy() {
        LockLine line = new LockLine(depths.length);
        line.take(this);
        return line;
    }

    int held() {
        return held;
    }

    /** Notes that a register gets another value. */
    void write(int register) {
        depths[register] = 0;
    }

    void move(int to, int from) {
        depths[to] = depths[from];
    }

    /** Takes a lock; returns the fault, or null. */
    String enter(int register) {
        if (held == MOST) {
            return "holds more than " + MOST + " locks";
        }
        depths[register] |= 1L << held++;
        return null;
    }

    /** Releases the last lock; returns the fault, or null. */
    String exit(int register) {
        if (held == 0) {
            return "releases a lock that it does not hold";
        }
        long lock = 1L << --held;
        String fault = (depths[register] & lock) == 0 ? "releases another lock than the last" : null;
        for (int i = 0; i < depths.length; i++) {
            depths[i] &= ~lock;
        }
        return fault;
    }

    /** Merges the line of another way to the same instruction; returns the fault, or null. */
    String merge(LockLine other) {
        if (held != other.held) {
            return "holds " + held + " or " + other.held + " locks, which depends on the path to here";
        }
        for (int i = 0; i < depths.length; i++) {
            if (depths[i] != other.depths[i]) {
                if (!isKeptElsewhere(depths[i], i) || !isKeptElsewhere(other.depths[i], i)) {
                    return "holds a lock in register " + i + " on some of the paths to here";
                }
                depths[i] = 0;
            }
        }
        return null;
    }

    boolean sameAs(LockLine other) {
        return held == other.held && Arrays.equals(depths, other.depths);
    }

    private void take(LockLine other) {
        held = other.held;
        System.arraycopy(other.depths, 0, depths, 0, depths.length);
    }

    /** Whether another register holds the same locks, or there are none to keep. */
    private boolean isKeptElsewhere(long locks, int register) {
        for (int i = 0; i < depths.length; i++) {
            if (i != register && depths[i] == locks) {
                return true;
            }
        }
        return locks == 0;
    }
}
