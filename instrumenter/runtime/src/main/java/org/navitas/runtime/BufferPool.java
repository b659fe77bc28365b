package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A bounded number of buffers, made on demand. Any thread may {@link #take}; only the writer thread may
 * {@link #give} back. Neither blocks; taking a buffer that was used before allocates nothing.
 */
final class BufferPool {
    private final int words;
    private final int limit;
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicReferenceArray<Buffer> ring;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong given = new AtomicLong();

    BufferPool(int words, int limit) {
        this.words = words;
        this.limit = limit;
        ring = new AtomicReferenceArray<>(limit);
    }

    /** An empty buffer of at least so many words, or null when all are in use or memory is short. */
    Buffer take(int least) {
        for (long at = taken.get(); at < given.get(); at = taken.get()) {
            Buffer buffer = ring.get((int) (at % limit));
            if (taken.compareAndSet(at, at + 1)) {
                return buffer.words.length >= least ? buffer : make(least);
            }
        }
        if (made.get() >= limit) {
            return null;
        }
        if (made.incrementAndGet() > limit) {
            made.decrementAndGet();
            return null;
        }
        return make(least);
    }

    /** In the place of one that is already counted. */
    private Buffer make(int least) {
        try {
            return new Buffer(Math.max(words, least));
        } catch (OutOfMemoryError e) {
            made.decrementAndGet();
            return null;
        }
    }

    /** Writer only: the buffer may be taken again. */
    void give(Buffer buffer) {
        buffer.clear();
        long at = given.get();
        ring.set((int) (at % limit), buffer);
        given.set(at + 1);
    }

    int made() {
        return made.get();
    }
}
