package org.example.primes;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PrimesTest {
    private static final int LIMIT = 30_000;
    private static final int PRIMES = 3_245;

    @Test
    public void byDivision() {
        assertEquals(PRIMES, Primes.countByDivision(LIMIT));
    }

    @Test
    public void bySieve() {
        assertEquals(PRIMES, Primes.countBySieve(LIMIT));
    }
}
