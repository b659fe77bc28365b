package org.navitas.accuracy;

import org.junit.Test;

/** Three methods with 10, 30 and 60 % of the work, called about 50 million, 2 million and 40,000 times. */
public class ModesTest {
    static int sink;

    @Test
    public void calls20ns() {
        calls(17_000_000, 1);
    }

    @Test
    public void calls500ns() {
        calls(680_000, 25);
    }

    @Test
    public void calls25us() {
        calls(13_600, 1250);
    }

    static void calls(int rounds, int size) {
        int x = 1;
        for (int i = 0; i < rounds; i++) {
            x = six(three(one(x, 3 * size), 9 * size), 18 * size);
        }
        sink += x;
    }

    static int one(int x, int steps) {
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static int three(int x, int steps) {
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static int six(int x, int steps) {
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }
}
