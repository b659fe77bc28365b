package org.navitas.instrument.files;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the expanded bytes of a jar's entries and stops reading a jar that expands too much. A malicious jar of a few
 * KB can expand to many GB, and its entries can share their bytes. The sizes that the jar declares are not used.
 */
public final class Expansion {
    /** Real jars expand to two or three times their size; jars of zeros, to a thousand times. */
    private static final int MAX_RATIO = 100;
    /** Allowed for any jar, since a small jar can contain a large file of one repeated byte. */
    private static final long ALWAYS_ALLOWED = 256L << 20;

    private final long allowed;
    private final AtomicLong expanded = new AtomicLong();

    public Expansion(Path jar) throws IOException {
        allowed = Math.max(ALWAYS_ALLOWED, MAX_RATIO * Files.size(jar));
    }

    /** Returns a stream of the same bytes that counts them. */
    public InputStream counted(InputStream entry) {
        return new FilterInputStream(entry) {
            @Override
            public int read() throws IOException {
                int value = super.read();
                count(value < 0 ? 0 : 1);
                return value;
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                int read = super.read(to, offset, length);
                count(Math.max(0, read));
                return read;
            }
        };
    }

    private void count(int bytes) throws IOException {
        if (expanded.addAndGet(bytes) > allowed) {
            throw new IOException(
                    "the jar expands to more than " + (allowed >> 20) + " MB, which is too much for its size; refused");
        }
    }
}
