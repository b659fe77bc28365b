package org.navitas.runtime;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import org.junit.Test;

public class LogcatSinkTest {
    private final FakePlatform platform = new FakePlatform();
    private final LogcatSink sink = new LogcatSink(platform, 4242);

    @Test
    public void splitsChunkIntoNumberedParts() {
        byte[] chunk = new byte[5_000];
        new Random(1).nextBytes(chunk);
        sink.write(new byte[] {1, 2}, 1);
        sink.write(chunk, chunk.length);
        assertEquals("NV1 4242 0 0/1 AQ==", platform.lines.get(0));
        StringBuilder text = new StringBuilder();
        for (int part = 0; part < 3; part++) {
            String[] fields = platform.lines.get(1 + part).split(" ");
            assertEquals("1", fields[2]);
            assertEquals(part + "/3", fields[3]);
            assertTrue(fields[4].length() <= 3_000);
            text.append(fields[4]);
        }
        assertArrayEquals(chunk, Base64.getDecoder().decode(text.toString()));
    }

    @Test
    public void base64MatchesStandard() {
        Random random = new Random(2);
        for (int length = 0; length < 50; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            assertEquals(Base64.getEncoder().encodeToString(bytes), LogcatSink.base64(bytes, length));
        }
    }

    @Test
    public void retriesRefusedLine() {
        platform.refusals = 2;
        sink.write(new byte[] {1, 2, 3}, 3);
        assertEquals(Arrays.asList("NV1 4242 0 0/1 AQID"), platform.lines);
    }

    @Test
    public void permanentlyRefusedLineLeavesGapInNumbers() {
        platform.refusals = 20;
        sink.write(new byte[] {1}, 1);
        sink.write(new byte[] {2}, 1);
        assertEquals(Arrays.asList("NV1 4242 1 0/1 Ag=="), platform.lines);
    }
}
