package org.navitas.hooks.files;

import java.io.IOException;
import java.io.RandomAccessFile;

/** Hooks of methods of random-access files that a subclass cannot override. */
public final class FileCalls {
    private FileCalls() {}

    /** Hook of {@link RandomAccessFile#writeBytes}. */
    public static void writeBytes(RandomAccessFile file, String text) throws IOException {
        CountedRandomAccessFile.text(file, text, false);
    }

    /** Hook of {@link RandomAccessFile#writeChars}. */
    public static void writeChars(RandomAccessFile file, String text) throws IOException {
        CountedRandomAccessFile.text(file, text, true);
    }
}
