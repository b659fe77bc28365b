package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The recorders of a process's threads.
 *
 * <p>Finding the calling thread's is part of every probe, so it is found by guesses that the thread is compared with. The first
 * guesses are fields: unlike an index made from the thread, a guess that is right needs no chain of loads before what follows
 * may begin, and the processor has learned which one is. Threads at work take these places from one another, at most once an
 * anchor.
 *
 * <p>The next guess is by the hash of the thread's name: three times as fast as a ThreadLocal. A name was chosen because, unlike
 * an id, no application can override it, and unlike an identity hash it costs the same while somebody waits for the thread.
 *
 * <p>Plain stores do for all guesses: a recorder's thread is final, and only this thread uses what it finds.
 */
final class Threads {
    private static final int SLOTS = 256;
    private static final int PLACES = 4;
    private static final int WAKE_EVERY = 64;

    private final Recorder recorder;
    private final ThreadRecorder ignoring;
    private ThreadRecorder first;
    private ThreadRecorder second;
    private ThreadRecorder third;
    private ThreadRecorder fourth;
    private int place;
    private final ThreadRecorder[] byName = new ThreadRecorder[SLOTS];
    private final ThreadLocal<ThreadRecorder> known = new ThreadLocal<>();
    private final AtomicLong serials = new AtomicLong();
    private final AtomicInteger sinceWake = new AtomicInteger();

    Threads(Recorder recorder) {
        this.recorder = recorder;
        ignoring = ThreadRecorder.ignoring(recorder);
        for (int i = 0; i < PLACES; i++) {
            put(ignoring);
        }
    }

    /** The calling thread's recorder. */
    ThreadRecorder current() {
        Thread thread = Thread.currentThread();
        ThreadRecorder guess = first;
        if (guess.thread == thread) {
            return guess;
        }
        guess = second;
        if (guess.thread == thread) {
            return guess;
        }
        guess = third;
        if (guess.thread == thread) {
            return guess;
        }
        guess = fourth;
        if (guess.thread == thread) {
            return guess;
        }
        guess = byName[slot(thread)];
        return guess != null && guess.thread == thread ? guess : lookUp(thread);
    }

    /** The calling thread is the runtime's own: nothing is recorded of it. */
    void ignoreCurrent() {
        known.set(ignoring);
    }

    /** The calling thread's recorder is at work: it may take a place. */
    void prefer(ThreadRecorder busy) {
        if (first != busy && second != busy && third != busy && fourth != busy) {
            put(busy);
        }
    }

    private void put(ThreadRecorder one) {
        int at = place++ & PLACES - 1;
        if (at == 0) {
            first = one;
        } else if (at == 1) {
            second = one;
        } else if (at == 2) {
            third = one;
        } else {
            fourth = one;
        }
    }

    private ThreadRecorder lookUp(Thread thread) {
        ThreadRecorder found = known.get();
        if (found == null) {
            return register(thread);
        }
        int slot = slot(thread);
        if (byName[slot] == null && found != ignoring) {
            byName[slot] = found;
        }
        return found;
    }

    private static int slot(Thread thread) {
        return thread.getName().hashCode() & SLOTS - 1;
    }

    /** Writer only: a dead thread's recorder is kept no longer. */
    void forget(ThreadRecorder dead) {
        if (first == dead) {
            first = ignoring;
        }
        if (second == dead) {
            second = ignoring;
        }
        if (third == dead) {
            third = ignoring;
        }
        if (fourth == dead) {
            fourth = ignoring;
        }
        for (int i = 0; i < SLOTS; i++) {
            if (byName[i] == dead) {
                byName[i] = null;
            }
        }
    }

    private ThreadRecorder register(Thread thread) {
        known.set(ignoring); // should this meet a probe
        try {
            ThreadRecorder fresh = new ThreadRecorder(recorder, thread, serials.incrementAndGet(), recorder.platform.threadId());
            recorder.writer.add(fresh);
            known.set(fresh);
            if (sinceWake.incrementAndGet() % WAKE_EVERY == 0) {
                recorder.writer.wake(); // many short threads: their buffers are wanted back before the next flush
            }
            return fresh;
        } catch (StackOverflowError e) {
            known.remove(); // the application's own; the thread's next probe tries again
            return ignoring;
        } catch (OutOfMemoryError e) {
            recorder.failed(e);
            return ignoring;
        }
    }
}
