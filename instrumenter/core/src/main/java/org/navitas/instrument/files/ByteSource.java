package org.navitas.instrument.files;

import java.io.InputStream;

/** Reads bytes from memory. Unlike {@code ByteArrayInputStream}, it takes no lock, so only one thread may use it. */
public final class ByteSource extends InputStream {
    private final byte[] bytes;
    private int at;

    public ByteSource(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public int read() {
        return at < bytes.length ? bytes[at++] & 255 : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) {
        if (at == bytes.length && length > 0) {
            return -1;
        }
        int count = Math.min(length, bytes.length - at);
        System.arraycopy(bytes, at, to, offset, count);
        at += count;
        return count;
    }
}
