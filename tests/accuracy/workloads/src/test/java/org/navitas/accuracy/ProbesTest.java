package org.navitas.accuracy;

import org.junit.Test;

/** A method that is called ten million times and works for about 100 ns. */
public class ProbesTest {
    static final int CALLS = 10_000_000;
    static int sink;

    /** Each step depends on the previous one. */
    static int leaf(int x) {
        for (int i = 0; i < 30; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    @Test
    public void calls() {
        int x = 1;
        for (int i = 0; i < CALLS; i++) {
            x = leaf(x);
        }
        sink = x;
    }
}
