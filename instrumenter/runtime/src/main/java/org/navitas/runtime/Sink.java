package org.navitas.runtime;

import java.io.Closeable;
import java.io.IOException;

/** Where whole chunks go; used by the writer thread alone. */
interface Sink extends Closeable {
    /** Takes one chunk; after an exception none of it may be left where a reader would take it for data. */
    void write(byte[] bytes, int length) throws IOException;

    /** Bytes of payload that one chunk of call events should not exceed, so that little is lost with it. */
    int payloadLimit();
}
