package org.navitas.hooks.files;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** A file that counts what is read from it. */
public class CountedFileInputStream extends FileInputStream {
    /** The thread in {@link #read()}, which some platforms implement with the other method. */
    private Thread reader;

    /** See {@link FileInputStream#FileInputStream(String)}. */
    public CountedFileInputStream(String name) throws FileNotFoundException {
        super(name);
    }

    /** See {@link FileInputStream#FileInputStream(File)}. */
    public CountedFileInputStream(File file) throws FileNotFoundException {
        super(file);
    }

    /** See {@link FileInputStream#FileInputStream(FileDescriptor)}. */
    public CountedFileInputStream(FileDescriptor descriptor) {
        super(descriptor);
    }

    @Override
    public int read() throws IOException {
        long start = Hook.begin(Api.FILE_READ);
        long bytes = Hook.FAILED;
        reader = Thread.currentThread();
        try {
            int value = super.read();
            bytes = value < 0 ? 0 : 1;
            return value;
        } finally {
            reader = null;
            Hook.end(Api.FILE_READ, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(this));
        }
    }

    @Override
    public int read(byte[] to) throws IOException {
        return read(to, 0, to.length);
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        if (reader == Thread.currentThread()) {
            return super.read(to, from, length);
        }
        long start = Hook.begin(Api.FILE_READ);
        long bytes = Hook.FAILED;
        try {
            int count = super.read(to, from, length);
            bytes = Math.max(0, count);
            return count;
        } finally {
            Hook.end(Api.FILE_READ, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(this));
        }
    }
}
