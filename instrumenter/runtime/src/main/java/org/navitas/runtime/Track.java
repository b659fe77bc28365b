package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * One thread's records of one chunk type: a chain of buffers. The thread appends at {@link #head}, the writer follows from
 * {@link #tail}. An empty buffer stands in where there is no real one (at the start, and after {@link #close}).
 */
final class Track {
    final int type;
    private final BufferPool pool;
    private final Writer writer;

    /** The thread's own. */
    private Buffer head = new Buffer(0);
    private final AtomicInteger lost = new AtomicInteger();

    /** The writer's own. */
    private Buffer tail = head;
    private int chunks;
    private int lostReported;

    Track(int type, BufferPool pool, Writer writer) {
        this.type = type;
        this.pool = pool;
        this.writer = writer;
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

    /** Seals the head, so that the writer can take it back; the next {@link #roll} continues the chain. */
    void close() {
        link(new Buffer(0));
    }

    private void link(Buffer buffer) {
        Buffer sealed = head;
        head = buffer;
        sealed.next = buffer;
        if (sealed.words.length > 0 && pool.wakesWriter()) {
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
                return;
            }
            release();
            tail = next;
        }
    }

    /** Writer only, once the thread is dead and all is drained. */
    void release() {
        if (tail.words.length > 0) {
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
