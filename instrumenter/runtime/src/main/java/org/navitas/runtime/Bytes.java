package org.navitas.runtime;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array, written in little-endian order. For one thread. */
final class Bytes {
    private ByteBuffer buffer = wrap(new byte[1024]);

    byte[] array() {
        return buffer.array();
    }

    int size() {
        return buffer.position();
    }

    /** Removes all bytes from this position on. */
    void cut(int size) {
        buffer.position(size);
    }

    Bytes u8(int value) {
        room(1).put((byte) value);
        return this;
    }

    Bytes u16(int value) {
        room(2).putShort((short) value);
        return this;
    }

    Bytes u32(int value) {
        room(4).putInt(value);
        return this;
    }

    Bytes i64(long value) {
        room(8).putLong(value);
        return this;
    }

    Bytes bytes(byte[] from, int offset, int length) {
        room(length).put(from, offset, length);
        return this;
    }

    /** Appends a text of at most 65,535 bytes after its length; cuts a longer one. */
    Bytes text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, 65535);
        return u16(length).bytes(bytes, 0, length);
    }

    /** Appends a text without its length. */
    Bytes utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes(bytes, 0, bytes.length);
    }

    Bytes words(long[] from, int offset, int length) {
        room(8 * length).asLongBuffer().put(from, offset, length);
        buffer.position(buffer.position() + 8 * length);
        return this;
    }

    /** Appends the rest of the file. The kernel does not report the length of its files in advance. */
    void read(RandomAccessFile file) throws IOException {
        for (int n = 0; n >= 0; n = file.read(array(), size(), buffer.remaining())) {
            buffer.position(size() + n);
            room(512);
        }
    }

    void putU32(int at, int value) {
        buffer.putInt(at, value);
    }

    private ByteBuffer room(int length) {
        if (buffer.remaining() < length) {
            int size = size();
            buffer = wrap(Arrays.copyOf(array(), Math.max(2 * size, size + length)));
            buffer.position(size);
        }
        return buffer;
    }

    private static ByteBuffer wrap(byte[] array) {
        return ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    }
}
