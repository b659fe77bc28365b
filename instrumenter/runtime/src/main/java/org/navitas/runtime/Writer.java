package org.navitas.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The background thread that encodes buffers as chunks. It writes sealed buffers when it is woken, and everything at
 * each flush interval or request. It recycles the buffers of threads that have ended.
 */
final class Writer implements Runnable {
    private final Platform platform;
    private final ChunkWriter out;
    private final long flushIntervalNs;
    private final RecordLog[] logs;
    private final RecordLog triples;
    private final Queue<ThreadRecorder> newcomers = new ConcurrentLinkedQueue<>();
    private final List<ThreadRecorder> threads = new ArrayList<>();
    private final AtomicLong requested = new AtomicLong();
    private final Object servedLock = new Object();
    private long served;
    /** Executions of basic blocks; null unless they are counted. */
    volatile RecordLog blocks;

    volatile boolean stopping;
    private volatile Thread thread;

    /** {@code logs} are drained at each flush; the last one receives the clock triples. */
    Writer(Platform platform, ChunkWriter out, long flushIntervalNs, RecordLog... logs) {
        this.platform = platform;
        this.out = out;
        this.flushIntervalNs = flushIntervalNs;
        this.logs = logs;
        triples = logs[logs.length - 1];
    }

    void add(ThreadRecorder newcomer) {
        if (!stopping) { // otherwise nothing would remove it from the queue
            newcomers.add(newcomer);
        }
    }

    /** Signals that there are buffers to write. Any thread can call it; never blocks. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /**
     * Requests that everything recorded so far is written. If the limit is above 0 ms, waits for it at most that long.
     * Any thread can call it.
     */
    void flush(long limitMs) {
        long ticket = requested.incrementAndGet();
        wake();
        long end = System.nanoTime() + 1_000_000 * limitMs;
        synchronized (servedLock) {
            try {
                for (long left = limitMs; left > 0 && served < ticket && !stopping; ) {
                    servedLock.wait(left);
                    left = (end - System.nanoTime()) / 1_000_000;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Writes the rest and ends; the writer thread ends soon after. */
    void stop() {
        stopping = true;
        wake();
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            writeUntilStopped();
        } catch (Throwable e) {
            // Out of memory, or no log to write to. On Android, an error that leaves a thread would end the
            // application.
            Platform.note("recording_stopped", "recording stops here: ", e);
        } finally {
            stopping = true;
            serve(Long.MAX_VALUE);
            out.close();
        }
    }

    private void writeUntilStopped() {
        long nextFlush = System.nanoTime() + flushIntervalNs;
        long nextTriple = System.nanoTime();
        while (!stopping) {
            long now = System.nanoTime();
            if (now - nextTriple >= 0) {
                clockTriple();
                nextTriple = now + Limits.TRIPLE_INTERVAL_NS;
            }
            long ticket = requested.get();
            boolean flush = ticket != served || now - nextFlush >= 0;
            drain(flush);
            if (flush) {
                nextFlush = now + flushIntervalNs;
                serve(ticket);
            }
            // The application cannot interrupt this thread on purpose, and parking needs the flag clear.
            Thread.interrupted();
            LockSupport.parkNanos(this, Math.min(nextFlush, nextTriple) - System.nanoTime());
        }
        clockTriple();
        drain(true);
    }

    private void serve(long ticket) {
        synchronized (servedLock) {
            served = ticket;
            servedLock.notifyAll();
        }
    }

    private void drain(boolean partial) {
        for (ThreadRecorder newcomer = newcomers.poll(); newcomer != null; newcomer = newcomers.poll()) {
            threads.add(newcomer);
        }
        int living = 0;
        for (ThreadRecorder thread : threads) {
            if (thread.drain(out, partial)) {
                threads.set(living++, thread);
            }
        }
        threads.subList(living, threads.size()).clear();
        for (RecordLog log : logs) {
            if (partial) {
                log.drain(null, out);
            }
        }
        RecordLog counted = blocks;
        if (counted != null && partial) {
            counted.drain(null, out);
        }
    }

    /** Adds what has been counted until now. Any thread can call it. */
    void publish() {
        RecordLog counted = blocks;
        if (counted != null) {
            counted.publish();
        }
    }

    /** Reads the clocks five times and records the reading with the closest monotonic times. */
    private void clockTriple() {
        long width = Long.MAX_VALUE;
        long monotonic = 0;
        long boottime = 0;
        long realtime = 0;
        for (int i = 0; i < 5; i++) {
            long before = platform.nanoTime();
            long boot = platform.bootNanos();
            long real = platform.realNanos();
            long after = platform.nanoTime();
            if (after - before < width) {
                width = after - before;
                monotonic = before + width / 2;
                boottime = boot;
                realtime = real;
            }
        }
        triples.triple(monotonic, boottime, realtime);
    }
}
