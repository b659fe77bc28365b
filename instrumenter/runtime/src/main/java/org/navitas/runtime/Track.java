package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * One thread's records of one chunk type: a chain of buffers. The thread appends at {@link #head}, the writer follows from
 * {@link #tail}. Buffers outside of the pool stand in where there is none of it (at the start, and after {@link #leavePool}).
 */
final class Track {
    final int type;
    private final BufferPool pool;
    private final Writer writer;

    /** The thread's own. */
    private Buffer head;
    private final AtomicInteger lost = new AtomicInteger();

    /** The writer's own. */
    private Buffer tail;
    private int chunks;
    private int lostReported;

    /** Begins in a buffer of so many words outside of the pool. */
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

    /** Seals the head and continues in an empty buffer of at least so many words; null (and no change) when none is free. */
    Buffer roll(long base, int least) {
        Buffer buffer = pool.take(least);
        if (buffer != null) {
            buffer.base = base;
            link(buffer);
        }
        return buffer;
    }

    /** Seals the head, so that the writer can take it back, and continues in so many words outside of the pool. */
    void leavePool(int words) {
        link(new Buffer(words));
    }

    /** Seals the head at once where others may lack it. */
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

    /** The thread lost events: a later chunk of this track reports them. */
    void lose(int events) {
        lost.lazySet(lost.get() + events);
    }

    /** Writer only: hands what has been published to the encoder; with {@code partial} also from the unsealed head. */
    void drain(ThreadRecorder owner, ChunkWriter out, boolean partial) {
        for (;;) {
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

    /** Writer only, once the thread is dead and all is drained. */
    void release() {
        if (tail.index >= 0) {
            pool.give(tail);
        }
    }

    /** Writer only: numbers the next chunk. */
    int nextChunk() {
        return chunks++;
    }

    /** Writer only: events lost since the last call. */
    int takeLost() {
        int all = lost.get();
        int fresh = all - lostReported;
        lostReported = all;
        return fresh;
    }
}
