package org.navitas.runtime;

import java.io.Closeable;
import java.io.IOException;

/** The destination of complete chunks; used by the writer thread only. */
interface Sink extends Closeable {
    /** Writes one chunk. If it throws, a reader must not see any part of the chunk as data. */
    void write(byte[] bytes, int length) throws IOException;

    /**
     * Returns the recommended maximum payload of a chunk of call events in bytes, so that a lost chunk loses little.
     */
    int payloadLimit();

    /** Returns the bytes written to storage so far. Any thread may call it. */
    long storedBytes();
}
