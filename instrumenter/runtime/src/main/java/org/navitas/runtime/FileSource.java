package org.navitas.runtime;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * A kernel file that the sampler reads; used by its thread only. A file in the real /proc stays open, since opening
 * takes ten times as long as reading. Others are opened each time, since the virtual phone replaces its nodes by
 * rename.
 */
class FileSource {
    final int id;
    final File path;
    /** Number of consecutive failed readings. */
    int failures;
    /** Whether it is read at the interval of traffic counters. */
    boolean isTraffic;
    private RandomAccessFile open;

    FileSource(int id, File path) {
        this.id = id;
        this.path = path;
    }

    /** Appends the current reading; appends nothing if there is nothing to record. */
    void read(Bytes into) throws IOException {
        if (open == null) {
            RandomAccessFile file = new RandomAccessFile(path, "r");
            if (!path.getCanonicalPath().startsWith("/proc/")) {
                copy(file, into);
                return;
            }
            open = file;
        }
        open.seek(0);
        into.read(open);
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
            return new String(content.array(), 0, content.size(), Bytes.UTF_8);
        } catch (IOException e) {
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
