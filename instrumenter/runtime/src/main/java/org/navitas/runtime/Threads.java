package org.navitas.runtime;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The recorders of a process's threads.
 *
 * <p>Finding the calling thread's is part of every probe, so it is looked for in a few places first, each compared with the
 * thread. Unlike an index made from the thread, a guess that is right needs no chain of loads before what follows may begin, and
 * the processor has learned which one is. Threads at work take these places from one another, at most once an anchor. Plain
 * stores do: a recorder's thread is final, and only this thread uses what it finds.
 */
final class Threads {
    private final Recorder recorder;
    private final ThreadRecorder ignoring;
    private ThreadRecorder first;
    private final ThreadRecorder[] more = new ThreadRecorder[Limits.PLACES];
    private int turn = Limits.PLACES;
    private final ThreadLocal<ThreadRecorder> known = new ThreadLocal<>();
    /** Every living thread's: a pool may clear the thread locals of its threads after each task, as the common pool does. */
    private final Map<Thread, ThreadRecorder> living = Collections.synchronizedMap(new IdentityHashMap<>());
    private final AtomicLong serials = new AtomicLong();
    private final AtomicInteger sinceWake = new AtomicInteger();

    Threads(Recorder recorder) {
        this.recorder = recorder;
        ignoring = ThreadRecorder.ignoring(recorder);
        first = ignoring;
        Arrays.fill(more, ignoring);
    }

    /** The calling thread's recorder. */
    ThreadRecorder current() {
        Thread thread = Thread.currentThread();
        ThreadRecorder guess = first;
        if (guess.thread == thread) {
            return guess;
        }
        for (ThreadRecorder next : more) {
            if (next.thread == thread) {
                return next;
            }
        }
        ThreadRecorder found = known.get();
        return found != null ? found : register(thread);
    }

    /** The calling thread's recorder is at work: it takes the place of another unless it has one. */
    void prefer(ThreadRecorder busy) {
        if (!replace(busy, busy)) {
            int place = (turn++ & Integer.MAX_VALUE) % (Limits.PLACES + 1);
            if (place == Limits.PLACES) {
                first = busy;
            } else {
                more[place] = busy;
            }
        }
    }

    /** Writer only: a dead thread's recorder is kept no longer. */
    void forget(ThreadRecorder dead) {
        replace(dead, ignoring);
        living.remove(dead.thread);
    }

    private boolean replace(ThreadRecorder old, ThreadRecorder by) {
        if (first == old) {
            first = by;
            return true;
        }
        for (int i = 0; i < Limits.PLACES; i++) {
            if (more[i] == old) {
                more[i] = by;
                return true;
            }
        }
        return false;
    }

    private ThreadRecorder register(Thread thread) {
        known.set(ignoring); // should this meet a probe
        if (thread.getThreadGroup() == recorder.ownThreads) {
            return ignoring;
        }
        try {
            ThreadRecorder own = living.get(thread);
            if (own == null) {
                own = new ThreadRecorder(recorder, thread, serials.incrementAndGet(), recorder.platform.threadId());
                recorder.writer.add(own); // first: after a stack overflow here, what is found again is what the writer knows
                living.put(thread, own);
                if (sinceWake.incrementAndGet() % Limits.WAKE_EVERY == 0) {
                    recorder.writer.wake(); // many short threads: their buffers are wanted back before the next flush
                }
            }
            known.set(own);
            return own;
        } catch (StackOverflowError e) {
            known.remove(); // the application's own; the thread's next probe tries again
            throw e;
        } catch (OutOfMemoryError e) {
            recorder.failed(e);
            return ignoring;
        }
    }
}
