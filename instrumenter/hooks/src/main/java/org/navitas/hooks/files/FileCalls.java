package org.navitas.hooks.files;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.SyncFailedException;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of methods of files that a subclass cannot override. */
public final class FileCalls {
    private FileCalls() {}

    /** Hook of {@link FileDescriptor#sync}. */
    public static void sync(FileDescriptor descriptor) throws SyncFailedException {
        long start = Hook.begin(Api.FILE_SYNC);
        long done = Hook.FAILED;
        try {
            descriptor.sync();
            done = 0;
        } finally {
            Hook.end(Api.FILE_SYNC, start, Hook.FILE_SYNC, 0, done, System.identityHashCode(descriptor));
        }
    }

    /** Hook of {@link RandomAccessFile#writeBytes}. */
    public static void writeBytes(RandomAccessFile file, String text) throws IOException {
        CountedRandomAccessFile.text(file, text, false);
    }

    /** Hook of {@link RandomAccessFile#writeChars}. */
    public static void writeChars(RandomAccessFile file, String text) throws IOException {
        CountedRandomAccessFile.text(file, text, true);
    }
}
