package org.navitas.accuracy;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.Test;

/** Writes files in random amounts, for fits of a power model: first to fit it, then to check it with other amounts. */
public class FittingTest {
    private static final int SECONDS = 40, LARGEST_MIB = 12;

    @Test
    public void fits() throws IOException, InterruptedException {
        phases(new Random(7), LARGEST_MIB);
    }

    @Test
    public void checks() throws IOException, InterruptedException {
        phases(new Random(8), LARGEST_MIB / 2);
    }

    private static void phases(Random random, int largest) throws IOException, InterruptedException {
        byte[] block = new byte[1 << 20];
        random.nextBytes(block);
        File file = File.createTempFile("fitting", ".bin");
        for (int i = 0; i < SECONDS; i++) {
            long end = System.nanoTime() + 1_000_000_000L;
            write(file, block, random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(largest));
            Work.burn(100 * random.nextInt(3));
            Thread.sleep(Math.max(0, (end - System.nanoTime()) / 1_000_000));
        }
        file.delete();
    }

    private static void write(File file, byte[] block, int blocks) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file)) {
            for (int i = 0; i < blocks; i++) {
                out.write(block);
            }
            out.getFD().sync();
        }
    }
}
