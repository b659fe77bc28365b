package org.example.waits;

/** An answer that takes long to arrive, and little work to read. */
public final class Answer {
    private static final int ROUNDS = 20_000_000;

    private Answer() {}

    /**
     * Waits for an answer, and reads it.
     *
     * @return what it says
     */
    public static long read() throws InterruptedException {
        Thread.sleep(4_000);
        return decode(ROUNDS);
    }

    /** Takes about 40 ms. Double the rounds, and it needs twice the energy. */
    static long decode(int rounds) {
        long state = 42;
        for (int round = 0; round < rounds; round++) {
            state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        }
        return state;
    }
}
