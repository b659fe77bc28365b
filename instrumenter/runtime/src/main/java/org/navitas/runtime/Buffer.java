package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Words that one thread writes while the writer reads them. The value is the number of words that the writer may read.
 * An ordered store publishes it, so writing takes neither a lock nor a fence.
 *
 * <p>Buffers form a chain. Once {@link #next} is set, the count is final.
 */
@SuppressWarnings("serial") // never serialized; a version field would be part of every app
final class Buffer extends AtomicInteger {
    final transient long[] words;
    /** Reference time of event words; set before the first publication. */
    transient long base;
    /** The next buffer of the thread. */
    transient volatile Buffer next;
    /** Owned by the pool: the buffer's index, or -1 if it has none, and the next free buffer below it. */
    transient int index = -1;

    transient volatile int below;
    /** Owned by the writer: how many words it has written out. */
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
