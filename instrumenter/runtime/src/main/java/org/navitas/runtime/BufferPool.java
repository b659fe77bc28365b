package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A bounded number of buffers, created on demand. Thread-safe. Never blocks. Taking a used buffer allocates nothing.
 *
 * <p>The buffer that was returned last is taken first: it is still in the processor's cache. Some buffers can be larger
 * than usual, within the pool's limit.
 */
final class BufferPool {
    private final int words;
    /** How many words the remaining large buffers can have beyond the usual size. */
    private final AtomicInteger room;

    private final AtomicInteger used = new AtomicInteger();
    /** The number of created buffers; larger than the length of {@link #all} if more were requested. */
    final AtomicInteger made = new AtomicInteger();

    private final AtomicInteger sealed = new AtomicInteger();
    /** All buffers by index. */
    final AtomicReferenceArray<Buffer> all;
    /**
     * A stack of free buffers: index + 1 of the topmost (0 if empty), with a version in the high bits to avoid the ABA
     * problem.
     */
    private final AtomicLong top = new AtomicLong();

    /**
     * Creates a pool of up to {@code limit} buffers of {@code words} words, with {@code room} further words for larger
     * buffers.
     */
    BufferPool(int words, int limit, int room) {
        this.words = words;
        this.room = new AtomicInteger(room);
        all = new AtomicReferenceArray<>(limit);
    }

    /** Returns an empty buffer of at least {@code least} words, or null if all are in use or memory is short. */
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

    /** Returns a buffer to the pool. */
    void give(Buffer returned) {
        boolean tooLarge = isLarge(returned) && room.get() < returned.words.length; // others may need a large one soon
        Buffer usual = tooLarge ? make(returned.index, words) : null;
        Buffer buffer = usual == null ? returned : usual;
        room.addAndGet(returned.words.length - buffer.words.length);
        buffer.clear();
        used.decrementAndGet();
        long was;
        do {
            was = top.get();
            buffer.below = (int) was;
        } while (!top.compareAndSet(was, version(was) | buffer.index + 1));
    }

    /** Returns whether other threads may need this buffer while its thread keeps it. */
    boolean isWanted(Buffer buffer) {
        return isLarge(buffer) || used.get() > all.length() / 2;
    }

    private boolean isLarge(Buffer buffer) {
        return buffer.words.length > words;
    }

    private static long version(long was) {
        return (was >>> 32) + 1 << 32;
    }

    /**
     * Counts a buffer that waits for the writer. Returns whether to wake the writer, which costs as much as a hundred
     * calls.
     */
    boolean wakesWriter(Buffer waiting) {
        return isLarge(waiting) || sealed.incrementAndGet() % Math.max(1, all.length() / 16) == 0;
    }
}
