package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * One thread's records of one chunk type: a chain of buffers. The thread appends at {@link #head}; the writer follows
 * from {@link #tail}. Buffers outside the pool are used at the start and after {@link #leavePool}.
 */
final class Track {
    final int type;
    private final BufferPool pool;
    private final Writer writer;

    /** Owned by the thread. */
    private Buffer head;

    private final AtomicInteger lost = new AtomicInteger();

    /** Owned by the writer. */
    private Buffer tail;

    private int chunks;
    private int lostReported;

    /** Starts with a buffer of {@code words} words outside the pool. */
    Track(int type, int words, BufferPool pool, Writer writer) {
        this.type = type;
        this.pool = pool;
        this.writer = writer;
        head = new Buffer(words);
        tail = head;
    }

    Buffer head() {
        return head;
    }

    /**
     * Seals the head and continues in an empty buffer of at least {@code least} words; returns null without a change if
     * none is free.
     */
    Buffer roll(long base, int least) {
        Buffer buffer = pool.take(least);
        if (buffer != null) {
            buffer.base = base;
            link(buffer);
        }
        return buffer;
    }

    /** Seals the head, so that the writer can recycle it, and continues in {@code words} words outside the pool. */
    void leavePool(int words) {
        link(new Buffer(words));
    }

    /** Seals the head at once if other threads may need it. */
    void share() {
        if (pool.isWanted(head)) {
            leavePool(0);
        }
    }

    private void link(Buffer buffer) {
        Buffer sealed = head;
        head = buffer;
        sealed.next = buffer;
        if (sealed.index >= 0 && pool.wakesWriter(sealed)) {
            writer.wake();
        }
    }

    /** Counts lost events; a later chunk of this track reports them. */
    void lose(int events) {
        lost.lazySet(lost.get() + events);
    }

    /** Called by the writer only: encodes the published words, with {@code partial} also those of the unsealed head. */
    void drain(ThreadRecorder owner, ChunkWriter out, boolean partial) {
        for (; ; ) {
            Buffer next = tail.next;
            int end = tail.get();
            if (end > tail.written && (partial || next != null)) {
                out.words(owner, this, tail, end);
                tail.written = end;
            }
            if (next == null) {
                if (partial && lost.get() != lostReported) {
                    out.loss(owner, this);
                }
                return;
            }
            release();
            tail = next;
        }
    }

    /** Called by the writer only, once the thread is dead and everything is drained. */
    void release() {
        if (tail.index >= 0) {
            pool.give(tail);
        }
    }

    /** Called by the writer only: returns the number of the next chunk. */
    int nextChunk() {
        return chunks++;
    }

    /** Called by the writer only: returns the number of events lost since the last call. */
    int takeLost() {
        int all = lost.get();
        int fresh = all - lostReported;
        lostReported = all;
        return fresh;
    }
}
