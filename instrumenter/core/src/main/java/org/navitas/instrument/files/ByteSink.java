package org.navitas.instrument.files;

import java.io.OutputStream;
import java.util.Arrays;

/** Collects bytes in memory. Unlike {@code ByteArrayOutputStream}, it takes no lock, so only one thread may use it. */
public final class ByteSink extends OutputStream {
    private byte[] bytes;
    private int size;

    public ByteSink(int capacity) {
        bytes = new byte[capacity];
    }

    @Override
    public void write(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    @Override
    public void write(byte[] from, int offset, int length) {
        reserve(length);
        System.arraycopy(from, offset, bytes, size, length);
        size += length;
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    private void reserve(int more) {
        if (more > bytes.length - size) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
        }
    }
}
