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
 * <p>Every probe looks up the calling thread's recorder. It first compares the thread with a few cached recorders. A
 * correct guess needs no chain of dependent loads, unlike an index computed from the thread, and the processor predicts
 * the branch. Active threads replace one another in this cache, at most once per anchor. Plain stores suffice: a
 * recorder's thread is final, and only this thread uses the recorder that it finds.
 */
final class Threads {
    private final Recorder recorder;
    private final ThreadRecorder ignoring;
    private ThreadRecorder first;
    private final ThreadRecorder[] more = new ThreadRecorder[Limits.PLACES];
    private int turn = Limits.PLACES;
    private final ThreadLocal<ThreadRecorder> known = new ThreadLocal<>();
    /**
     * Recorders of all live threads: a pool can clear the thread locals of its threads after each task, as the common
     * pool does.
     */
    private final Map<Thread, ThreadRecorder> living = Collections.synchronizedMap(new IdentityHashMap<>());

    private final AtomicLong serials = new AtomicLong();
    private final AtomicInteger sinceWake = new AtomicInteger();

    Threads(Recorder recorder) {
        this.recorder = recorder;
        ignoring = ThreadRecorder.ignoring(recorder);
        first = ignoring;
        Arrays.fill(more, ignoring);
    }

    /** Returns the calling thread's recorder. */
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

    /** Adds the calling thread's recorder to the cache, unless it is there. */
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

    /** Called by the writer only: removes a dead thread's recorder. */
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

    /** Returns the recorder of a thread that carries virtual threads. {@code osTid} is its kernel id. */
    ThreadRecorder ofCarrier(Thread carrier, int osTid) {
        ThreadRecorder own = living.get(carrier);
        return own != null ? own : add(carrier, osTid);
    }

    /** Returns the recorder of a thread that had none. A carrier can be added by several virtual threads in turn. */
    private ThreadRecorder add(Thread thread, int osTid) {
        ThreadRecorder own = new ThreadRecorder(recorder, thread, serials.incrementAndGet(), osTid);
        synchronized (living) {
            ThreadRecorder earlier = living.get(thread);
            if (earlier != null) {
                return earlier;
            }
            recorder.writer.add(
                    own); // first: after a stack overflow here, the writer knows every recorder in the tables
            living.put(thread, own);
        }
        if (sinceWake.incrementAndGet() % Limits.WAKE_EVERY == 0) {
            recorder.writer.wake(); // it recycles buffers of many short threads before the next flush
        }
        return own;
    }

    private ThreadRecorder register(Thread thread) {
        known.set(ignoring); // in case a probe runs meanwhile
        if (thread.getThreadGroup() == Start.group) {
            return ignoring;
        }
        try {
            ThreadRecorder own = living.get(thread);
            if (own == null) {
                boolean isVirtual = Mounts.isVirtual(thread);
                own = add(thread, isVirtual ? 0 : recorder.platform.threadId());
                if (isVirtual) {
                    Mounts.follow(own, this);
                }
            }
            known.set(own);
            return own;
        } catch (StackOverflowError e) {
            known.remove(); // the application's own error; the thread's next probe tries again
            throw e;
        } catch (Throwable e) {
            recorder.failed(e);
            return ignoring;
        }
    }
}
