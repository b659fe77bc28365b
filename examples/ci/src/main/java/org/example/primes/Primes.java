package org.example.primes;

import java.util.BitSet;

/** Counts primes in two ways, one of which uses much more energy. */
public final class Primes {
    private Primes() {}

    /**
     * Counts primes by trial division.
     *
     * @param limit exclusive upper bound
     * @return the number of primes below {@code limit}
     */
    public static int countByDivision(int limit) {
        int count = 0;
        for (int n = 2; n < limit; n++) {
            if (isPrime(n)) {
                count++;
            }
        }
        return count;
    }

    static boolean isPrime(int n) {
        for (int divisor = 2; divisor < n; divisor++) {
            if (n % divisor == 0) {
                return false;
            }
        }
        return n > 1;
    }

    /**
     * Counts primes with the sieve of Eratosthenes.
     *
     * @param limit exclusive upper bound
     * @return the number of primes below {@code limit}
     */
    public static int countBySieve(int limit) {
        BitSet composite = new BitSet(limit);
        int count = 0;
        for (int n = 2; n < limit; n++) {
            if (!composite.get(n)) {
                count++;
                for (long multiple = (long) n * n; multiple < limit; multiple += n) {
                    composite.set((int) multiple);
                }
            }
        }
        return count;
    }
}
