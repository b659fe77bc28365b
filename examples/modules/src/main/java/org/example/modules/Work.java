package org.example.modules;

/** Work for the processor. */
final class Work {
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
