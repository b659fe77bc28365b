package org.navitas.runtime;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * Something that the sampler reads, used by its thread alone: a file of the kernel's. One in the real /proc stays open, since
 * opening costs ten times what reading does; any other is opened each time, since the virtual phone replaces its nodes by rename.
 */
class FileSource {
    final int id;
    final File path;
    /** Readings that failed in a row. */
    int failures;
    private RandomAccessFile open;

    FileSource(int id, File path) {
        this.id = id;
        this.path = path;
    }

    /** Appends the present reading; appending nothing means that there is nothing to record. */
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

    void close() {
        close(open);
        open = null;
    }

    /** The whole of a small file. */
    static Bytes content(File path) throws IOException {
        Bytes content = new Bytes();
        copy(new RandomAccessFile(path, "r"), content);
        return content;
    }

    /** The text of a small file, empty when it cannot be read. */
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
            return; // it was only read from
        }
    }
}
