package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A bounded number of buffers, made on demand. Any thread may call it; nothing blocks, and taking a buffer that was used
 * before allocates nothing.
 *
 * <p>The one given back last is taken first: it is still in the processor's cache. Some may be larger than usual, as far as the
 * pool has room for it.
 */
final class BufferPool {
    private final int words;
    /** Words that buffers may still have beyond the usual. */
    private final AtomicInteger room;
    private final AtomicInteger used = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger sealed = new AtomicInteger();
    /** Every buffer by its index. */
    private final AtomicReferenceArray<Buffer> all;
    /** A stack of free buffers: index + 1 of the topmost (0: none) below a version, so that no exchange mistakes two states. */
    private final AtomicLong top = new AtomicLong();

    /** So many buffers of so many words, and so many words more for the larger ones. */
    BufferPool(int words, int limit, int room) {
        this.words = words;
        this.room = new AtomicInteger(room);
        all = new AtomicReferenceArray<>(limit);
    }

    /** An empty buffer of at least so many words, or null when all are in use or memory is short. */
    Buffer take(int least) {
        Buffer buffer = take();
        if (buffer != null) {
            used.incrementAndGet();
            if (buffer.words.length < least) {
                return replace(buffer, least);
            }
        }
        return buffer;
    }

    private Buffer take() {
        for (long was = top.get(); (int) was != 0; was = top.get()) {
            Buffer buffer = all.get((int) was - 1);
            if (top.compareAndSet(was, version(was) | buffer.below)) {
                return buffer;
            }
        }
        int index = made.get() < all.length() ? made.getAndIncrement() : all.length();
        return index < all.length() ? make(index, words) : null;
    }

    private Buffer replace(Buffer tooSmall, int least) {
        int more = least - tooSmall.words.length;
        Buffer larger = room.addAndGet(-more) >= 0 ? make(tooSmall.index, least) : null;
        if (larger == null) {
            room.addAndGet(more);
            give(tooSmall);
        }
        return larger;
    }

    private Buffer make(int index, int size) {
        try {
            Buffer buffer = new Buffer(size);
            buffer.index = index;
            all.set(index, buffer);
            return buffer;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** The buffer may be taken again. */
    void give(Buffer given) {
        boolean tooLarge = isLarge(given) && room.get() < given.words.length; // others may soon need one
        Buffer usual = tooLarge ? make(given.index, words) : null;
        Buffer buffer = usual == null ? given : usual;
        room.addAndGet(given.words.length - buffer.words.length);
        buffer.clear();
        used.decrementAndGet();
        long was;
        do {
            was = top.get();
            buffer.below = (int) was;
        } while (!top.compareAndSet(was, version(was) | buffer.index + 1));
    }

    /** Whether others may lack this buffer, should its thread keep it for long. */
    boolean isWanted(Buffer buffer) {
        return isLarge(buffer) || used.get() > all.length() / 2;
    }

    private boolean isLarge(Buffer buffer) {
        return buffer.words.length > words;
    }

    private static long version(long was) {
        return (was >>> 32) + 1 << 32;
    }

    /** Counts a buffer that waits for the writer; whether it is to be woken: that costs as much as a hundred calls. */
    boolean wakesWriter(Buffer waiting) {
        return isLarge(waiting) || sealed.incrementAndGet() % Math.max(1, all.length() / 16) == 0;
    }

    /** How many buffers there are. */
    int made() {
        return Math.min(made.get(), all.length());
    }
}
