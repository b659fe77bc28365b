package org.navitas.runtime;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Keeps the written chunks; can fail from some chunk on, like a full disk or with an error. */
class MemorySink extends FileSink {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    int payloadLimit = Integer.MAX_VALUE;
    int room = Integer.MAX_VALUE;
    int attempts;
    Error error;

    @Override
    synchronized void write(byte[] bytes, int length) throws IOException {
        attempts++;
        if (error != null) {
            throw error;
        }
        if (room-- <= 0) {
            throw new IOException("No space left on device");
        }
        written.write(bytes, 0, length);
    }

    @Override
    int payloadLimit() {
        return payloadLimit;
    }

    @Override
    long storedBytes() {
        return written.size();
    }

    @Override
    void close() {}

    synchronized byte[] bytes() {
        return written.toByteArray();
    }
}
