package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Words that one thread fills while the writer reads them. The value is the number of words that the writer may read: an
 * ordered store publishes it, so filling takes neither lock nor fence.
 *
 * <p>Buffers form a chain: once {@link #next} is set, the count is final.
 */
@SuppressWarnings("serial") // never serialized; the number would be part of every app
final class Buffer extends AtomicInteger {
    final transient long[] words;
    /** Reference time of event words; set before the first publication. */
    transient long base;
    /** The filling thread's next buffer. */
    transient volatile Buffer next;
    /** The pool's own: where it keeps this buffer (-1: nowhere), and what lies below it among the free ones. */
    transient int index = -1;
    transient volatile int below;
    /** How many words the writer has written out; its own. */
    transient int written;

    Buffer(int size) {
        words = new long[size];
    }

    void clear() {
        written = 0;
        next = null;
        set(0);
    }
}
