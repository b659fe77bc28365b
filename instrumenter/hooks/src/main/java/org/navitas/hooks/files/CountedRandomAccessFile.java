package org.navitas.hooks.files;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** A file for random access that counts what is read and written. Its typed methods call the ones here. */
public class CountedRandomAccessFile extends RandomAccessFile {
    /** The thread in a method that some platforms implement with another one. */
    private Thread user;

    /** See {@link RandomAccessFile#RandomAccessFile(String, String)}. */
    public CountedRandomAccessFile(String name, String mode) throws FileNotFoundException {
        super(name, mode);
    }

    /** See {@link RandomAccessFile#RandomAccessFile(File, String)}. */
    public CountedRandomAccessFile(File file, String mode) throws FileNotFoundException {
        super(file, mode);
    }

    @Override
    public int read() throws IOException {
        if (user == Thread.currentThread()) {
            return super.read();
        }
        long start = Hook.begin(Api.RANDOM_READ);
        long bytes = Hook.FAILED;
        user = Thread.currentThread();
        try {
            int value = super.read();
            bytes = value < 0 ? 0 : 1;
            return value;
        } finally {
            user = null;
            Hook.end(Api.RANDOM_READ, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(this));
        }
    }

    @Override
    public int read(byte[] to) throws IOException {
        return read(to, 0, to.length);
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        if (user == Thread.currentThread()) {
            return super.read(to, from, length);
        }
        long start = Hook.begin(Api.RANDOM_READ);
        long bytes = Hook.FAILED;
        try {
            int count = super.read(to, from, length);
            bytes = Math.max(0, count);
            return count;
        } finally {
            Hook.end(Api.RANDOM_READ, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(this));
        }
    }

    @Override
    public void write(int value) throws IOException {
        if (user == Thread.currentThread()) {
            super.write(value);
            return;
        }
        long start = Hook.begin(Api.RANDOM_WRITE);
        long bytes = Hook.FAILED;
        user = Thread.currentThread();
        try {
            super.write(value);
            bytes = 1;
        } finally {
            user = null;
            Hook.end(Api.RANDOM_WRITE, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(this));
        }
    }

    @Override
    public void write(byte[] from) throws IOException {
        write(from, 0, from.length);
    }

    @Override
    public void write(byte[] from, int at, int length) throws IOException {
        if (user == Thread.currentThread()) {
            super.write(from, at, length);
            return;
        }
        long start = Hook.begin(Api.RANDOM_WRITE);
        long bytes = Hook.FAILED;
        try {
            super.write(from, at, length);
            bytes = length;
        } finally {
            Hook.end(Api.RANDOM_WRITE, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(this));
        }
    }

    /** Hook of {@link RandomAccessFile#writeBytes}, which cannot be overridden. */
    static void text(RandomAccessFile file, String text, boolean wide) throws IOException {
        CountedRandomAccessFile counted =
                file instanceof CountedRandomAccessFile ? (CountedRandomAccessFile) file : null;
        long start = Hook.begin(Api.RANDOM_WRITE);
        long bytes = Hook.FAILED;
        if (counted != null) {
            counted.user = Thread.currentThread();
        }
        try {
            if (wide) {
                file.writeChars(text);
            } else {
                file.writeBytes(text);
            }
            bytes = (wide ? 2L : 1L) * text.length();
        } finally {
            if (counted != null) {
                counted.user = null;
            }
            Hook.end(Api.RANDOM_WRITE, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(file));
        }
    }
}
