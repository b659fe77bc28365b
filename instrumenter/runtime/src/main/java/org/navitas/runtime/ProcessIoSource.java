package org.navitas.runtime;

import java.io.File;
import java.io.IOException;

/**
 * What this process made storage devices read and write: {@code /proc/self/io}, and a line {@code runtime_write_bytes:
 * N} with the bytes of the recording itself, which the file also counts.
 */
final class ProcessIoSource extends FileSource {
    private final ChunkWriter out;

    ProcessIoSource(int id, File path, ChunkWriter out) {
        super(id, path);
        this.out = out;
        isTraffic = true;
    }

    @Override
    void read(Bytes into) throws IOException {
        byte[] own = ("runtime_write_bytes: " + out.storedBytes() + '\n').getBytes(Bytes.UTF_8);
        super.read(into);
        into.bytes(own, 0, own.length);
    }
}
