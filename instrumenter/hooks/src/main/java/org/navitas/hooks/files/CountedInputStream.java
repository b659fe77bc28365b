package org.navitas.hooks.files;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.navitas.runtime.Hook;

/** Counts what is read from a stream of the platform. As safe for threads as that stream. */
public final class CountedInputStream extends FilterInputStream {
    private final int api;
    private final int kind;
    private final int handle;

    private CountedInputStream(InputStream in, int api, int kind, int handle) {
        super(in);
        this.api = api;
        this.kind = kind;
        this.handle = handle;
    }

    /**
     * Returns a stream that counts; a stream that already counts is returned as it is.
     *
     * @param in what to read from, or null
     * @param api the number of the method that reads appear as
     * @param kind {@link Hook#NET_READ}, {@link Hook#LOOPBACK_READ} or {@link Hook#FILE_READ}
     * @param device what its handle identifies
     * @return null if {@code in} is null
     */
    public static InputStream of(InputStream in, int api, int kind, Object device) {
        boolean counts = in == null || in instanceof CountedInputStream || in instanceof CountedFileInputStream;
        return counts ? in : new CountedInputStream(in, api, kind, System.identityHashCode(device));
    }

    @Override
    public int read() throws IOException {
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            int value = in.read();
            bytes = value < 0 ? 0 : 1;
            return value;
        } finally {
            Hook.end(api, start, kind, 0, bytes, handle);
        }
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            int count = in.read(to, from, length);
            bytes = Math.max(0, count);
            return count;
        } finally {
            Hook.end(api, start, kind, 0, bytes, handle);
        }
    }

    /** Skipped bytes of a connection are received; those of a file are not read. */
    @Override
    public long skip(long most) throws IOException {
        if (kind == Hook.FILE_READ) {
            return in.skip(most);
        }
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            bytes = in.skip(most);
            return bytes;
        } finally {
            Hook.end(api, start, kind, 0, bytes, handle);
        }
    }
}
