package org.navitas.runtime;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * The destination of complete chunks: the event file of this process, or what a subclass overrides all methods for. Used by
 * the writer thread only. Not an interface: each class of the runtime makes every app larger.
 */
class FileSink {
    /** Null in subclasses. */
    private final RandomAccessFile file;

    private volatile long stored;

    FileSink() {
        file = null;
    }

    FileSink(File folder, int process) throws IOException {
        if (!folder.mkdirs() && !folder.isDirectory()) {
            throw new IOException("cannot create the folder " + folder);
        }
        file = new RandomAccessFile(new File(folder, "events-" + process + ".nvch"), "rw");
        file.setLength(0); // an earlier process can have had the same id
    }

    /** Writes one chunk. If it throws, a reader must not see any part of the chunk as data. */
    void write(byte[] bytes, int length) throws IOException {
        long end = file.getFilePointer();
        try {
            file.write(bytes, 0, length);
            stored = end + length;
        } catch (IOException e) {
            file.setLength(end);
            throw e;
        }
    }

    /** Returns the recommended maximum payload of a chunk of call events in bytes, so that a lost chunk loses little. */
    int payloadLimit() {
        return Integer.MAX_VALUE;
    }

    /** Returns the bytes written to storage so far. Any thread may call it. */
    long storedBytes() {
        return stored;
    }

    void close() throws IOException {
        file.close();
    }
}
