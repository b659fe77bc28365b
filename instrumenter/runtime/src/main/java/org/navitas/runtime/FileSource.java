package org.navitas.runtime;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

/**
 * A kernel file that the sampler reads; used by its thread only. A file in the real /proc stays open, since opening
 * takes ten times as long as reading. Others are opened each time, since the virtual phone replaces its nodes by
 * rename. It also has the fields that only some files need: each class of the runtime makes every app larger.
 */
class FileSource {
    final int id;
    final File path;
    /** Number of consecutive failed readings. */
    int failures;
    /** Whether it is read at the interval of traffic counters. */
    boolean isTraffic;
    /**
     * If not null, a line {@code runtime_write_bytes: N} follows: the bytes of the recording itself, which the file of this
     * process's storage accesses also counts.
     */
    ChunkWriter own;
    /** For {@link ThreadsSource}: the last reading, how many readings were new, and the name of the thread. */
    byte[] last = {};

    int changes;
    Bytes name;
    private RandomAccessFile open;

    FileSource(int id, File path) {
        this.id = id;
        this.path = path;
    }

    /** Appends the current reading; appends nothing if there is nothing to record. */
    void read(Bytes into) throws IOException {
        String line = own == null ? "" : "runtime_write_bytes: " + own.storedBytes() + '\n';
        if (open == null && path.getCanonicalPath().startsWith("/proc/")) {
            open = new RandomAccessFile(path, "r");
        }
        if (open == null) {
            copy(new RandomAccessFile(path, "r"), into);
        } else {
            open.seek(0);
            into.read(open);
        }
        into.utf8(line);
    }

    /** Prepares for the last reading. */
    void finish() {
        // A file needs no preparation.
    }

    void close() {
        close(open);
        open = null;
    }

    /** Returns the contents of a small file. */
    static Bytes content(File path) throws IOException {
        Bytes content = new Bytes();
        copy(new RandomAccessFile(path, "r"), content);
        return content;
    }

    /** Returns the text of a small file, or an empty text if it cannot be read. */
    static String text(String path) {
        try {
            Bytes content = content(new File(path));
            return new String(content.array(), 0, content.size(), StandardCharsets.UTF_8);
        } catch (IOException | SecurityException e) {
            return "";
        }
    }

    private static void copy(RandomAccessFile from, Bytes to) throws IOException {
        try {
            to.read(from);
        } finally {
            close(from);
        }
    }

    private static void close(RandomAccessFile file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            return; // the file was only read
        }
    }
}
