package org.navitas.hooks.files;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** A file that counts what is written to it. */
public class CountedFileOutputStream extends FileOutputStream {
    /** The thread in {@link #write(int)}, which some platforms implement with the other method. */
    private Thread writer;

    /** See {@link FileOutputStream#FileOutputStream(String)}. */
    public CountedFileOutputStream(String name) throws FileNotFoundException {
        super(name);
    }

    /** See {@link FileOutputStream#FileOutputStream(String, boolean)}. */
    public CountedFileOutputStream(String name, boolean append) throws FileNotFoundException {
        super(name, append);
    }

    /** See {@link FileOutputStream#FileOutputStream(File)}. */
    public CountedFileOutputStream(File file) throws FileNotFoundException {
        super(file);
    }

    /** See {@link FileOutputStream#FileOutputStream(File, boolean)}. */
    public CountedFileOutputStream(File file, boolean append) throws FileNotFoundException {
        super(file, append);
    }

    /** See {@link FileOutputStream#FileOutputStream(FileDescriptor)}. */
    public CountedFileOutputStream(FileDescriptor descriptor) {
        super(descriptor);
    }

    @Override
    public void write(int value) throws IOException {
        long start = Hook.begin(Api.FILE_WRITE);
        long bytes = Hook.FAILED;
        writer = Thread.currentThread();
        try {
            super.write(value);
            bytes = 1;
        } finally {
            writer = null;
            Hook.end(Api.FILE_WRITE, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(this));
        }
    }

    @Override
    public void write(byte[] from) throws IOException {
        write(from, 0, from.length);
    }

    @Override
    public void write(byte[] from, int at, int length) throws IOException {
        if (writer == Thread.currentThread()) {
            super.write(from, at, length);
            return;
        }
        long start = Hook.begin(Api.FILE_WRITE);
        long bytes = Hook.FAILED;
        try {
            super.write(from, at, length);
            bytes = length;
        } finally {
            Hook.end(Api.FILE_WRITE, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(this));
        }
    }
}
