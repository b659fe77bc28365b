package org.navitas.hooks.files;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.navitas.runtime.Hook;

/** Counts what is written to a stream of the platform. As safe for threads as that stream. */
public final class CountedOutputStream extends FilterOutputStream {
    private final int api;
    private final int kind;
    private final int handle;

    private CountedOutputStream(OutputStream out, int api, int kind, int handle) {
        super(out);
        this.api = api;
        this.kind = kind;
        this.handle = handle;
    }

    /**
     * Returns a stream that counts; a stream that already counts is returned as it is.
     *
     * @param out what to write to, or null
     * @param api the number of the method that writes appear as
     * @param kind {@link Hook#NET_WRITE}, {@link Hook#LOOPBACK_WRITE} or {@link Hook#FILE_WRITE}
     * @param device what its handle identifies
     * @return null if {@code out} is null
     */
    public static OutputStream of(OutputStream out, int api, int kind, Object device) {
        boolean counts = out == null || out instanceof CountedOutputStream || out instanceof CountedFileOutputStream;
        return counts ? out : new CountedOutputStream(out, api, kind, System.identityHashCode(device));
    }

    @Override
    public void write(int value) throws IOException {
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            out.write(value);
            bytes = 1;
        } finally {
            Hook.end(api, start, kind, 0, bytes, handle);
        }
    }

    @Override
    public void write(byte[] from) throws IOException {
        write(from, 0, from.length);
    }

    @Override
    public void write(byte[] from, int at, int length) throws IOException {
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            out.write(from, at, length);
            bytes = length;
        } finally {
            Hook.end(api, start, kind, 0, bytes, handle);
        }
    }

    /** Closes the stream below, which flushes itself; an exception of its flush is not hidden by one of its close. */
    @Override
    public void close() throws IOException {
        out.close();
    }
}
