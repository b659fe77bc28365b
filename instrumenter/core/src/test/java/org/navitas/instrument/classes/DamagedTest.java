package org.navitas.instrument.classes;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.Test;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.code.ConstructorFlow;
import org.navitas.instrument.files.Io;

/** Instrumentation of any class file ends and throws nothing; its output is unchanged or complete. */
public class DamagedTest {
    private static final MethodChoice EVERY_METHOD = (name, method, code) -> null;
    private static final int SEED = 20260101;

    private final Random random = new Random(SEED);

    @Test(timeout = 120_000)
    public void flippedBytes() throws Exception {
        byte[] original = someClass();
        int malformed = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = original.clone();
            for (int i = 0; i < 1 + round % 3; i++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            malformed += check(damaged) ? 1 : 0;
        }
        assertTrue("damage is seen: " + malformed, malformed > 1000);
    }

    @Test(timeout = 120_000)
    public void extremeLengths() throws Exception {
        byte[] original = someClass();
        for (int at = 8; at + 4 <= original.length; at++) {
            byte[] damaged = original.clone();
            Arrays.fill(damaged, at, at + 4, (byte) 0xFF);
            check(damaged);
            damaged[at] = 0x7F;
            check(damaged);
        }
    }

    @Test(timeout = 120_000)
    public void everyTruncation() throws Exception {
        byte[] original = someClass();
        for (int length = 0; length < original.length; length++) {
            byte[] cut = Arrays.copyOf(original, length);
            assertEquals(
                    Skipped.MALFORMED,
                    ClassInstrumenter.instrument(cut, "cut", EVERY_METHOD).info.untouchedReason());
        }
        assertEquals(
                Skipped.MALFORMED,
                ClassInstrumenter.instrument(Arrays.copyOf(original, original.length + 1), "long", EVERY_METHOD)
                        .info
                        .untouchedReason());
    }

    /** Instruments a class; returns whether it was skipped. */
    private static boolean check(byte[] damaged) {
        byte[] before = damaged.clone();
        ClassInstrumenter done = ClassInstrumenter.instrument(damaged, "damaged", EVERY_METHOD);
        assertArrayEquals("the original is only read", before, damaged);
        byte[] after = done.bytes(new int[done.info.methods.size()]);
        if (done.info.methods.isEmpty()) {
            assertArrayEquals(before, after);
        }
        return done.info.untouchedReason() != null;
    }

    /** A class with constructors, switches, handlers, lambdas and frames. */
    private static byte[] someClass() throws Exception {
        try (InputStream in = ConstructorFlow.class.getResourceAsStream("ConstructorFlow.class")) {
            return Io.read(in);
        }
    }
}
