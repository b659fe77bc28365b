package org.navitas.hooks.intents;

/** Hashes of 64 bits. Apart from classes with names of Android, so that tables can use them on a JVM without it. */
final class Hashes {
    /** What makes sums of hashed numbers differ (splitmix64). */
    static final long STEP = 0x9E3779B97F4A7C15L;

    private static final long PRIME = 0x100000001B3L;

    private Hashes() {}

    /** Adds a text or null to a hash of 64 bits, which is the same in all processes. */
    static long mixed(long hash, String text) {
        if (text == null) {
            return mixed(hash, 0);
        }
        long sum = 1;
        for (int i = 0; i < text.length(); i++) {
            sum = (sum ^ text.charAt(i)) * PRIME;
        }
        return mixed(hash, sum);
    }

    /** Adds a number to a hash. */
    static long mixed(long hash, long number) {
        return mixed(hash * PRIME + mixed(number + STEP));
    }

    /** Mixes bits (splitmix64 by Steele, Lea and Flood). */
    static long mixed(long bits) {
        long x = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }
}
