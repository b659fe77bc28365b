package org.example.faults;

/** Work for the processor: the same number of divisions each time. */
final class Work {
    static final int LIMIT = 1_200_000;
    static final int SMALL_LIMIT = 300_000;

    private Work() {}

    /** Returns the number of primes below a limit. */
    static int primes(int limit) {
        int count = 0;
        for (int n = 2; n < limit; n++) {
            int divisor = 2;
            while (divisor * divisor <= n && n % divisor != 0) {
                divisor++;
            }
            if (divisor * divisor > n) {
                count++;
            }
        }
        return count;
    }
}
