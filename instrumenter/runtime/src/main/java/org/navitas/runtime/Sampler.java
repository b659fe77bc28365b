package org.navitas.runtime;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The background thread that reads counters. It measures its CPU time and widens its interval to use at most two
 * percent of a core. It drops a source that keeps failing.
 */
final class Sampler implements Runnable {
    private final Platform platform;
    private final RecordLog counters;
    private final long intervalNs;
    private final long trafficIntervalNs;
    private final List<FileSource> sources = new ArrayList<>();
    private final Bytes reading = new Bytes();
    private long costNs;
    private volatile boolean isLastDue;
    private volatile int lastRounds;
    private volatile boolean stopping;
    private volatile Thread thread;

    Sampler(Platform platform, Settings settings, RecordLog counters, ChunkWriter out, FileSource ticker) {
        this.platform = platform;
        this.counters = counters;
        intervalNs = settings.sampleIntervalNs;
        trafficIntervalNs = settings.trafficIntervalNs;
        if (ticker != null) {
            sources.add(ticker);
        }
        for (Map.Entry<Integer, String> configured : settings.sources.entrySet()) {
            FileSource source = source(configured.getKey(), configured.getValue(), settings, out);
            if (source != null) {
                sources.add(source);
            }
        }
    }

    /** Returns null for a source that this system does not have. */
    private FileSource source(int id, String path, Settings settings, ChunkWriter out) {
        if (path.equals(Format.THREADS)) {
            File tasks = settings.under("/proc/self/task");
            return tasks.isDirectory() ? new ThreadsSource(id, tasks) : null;
        }
        if (path.equals(Format.TRAFFIC)) {
            return new TrafficSource(id, platform.userId());
        }
        if (path.equals(Format.POWER_MONITORS)) {
            return new PowerMonitorSource(id);
        }
        boolean isIo = path.equals(
                Format.PROCESS_IO); // a virtual phone counts it itself: the kernel leaves out files in memory
        FileSource source = new FileSource(id, settings.under(isIo ? "/proc/" + platform.processId() + "/io" : path));
        source.own = isIo ? out : null;
        source.isTraffic = isIo || path.equals(Format.INTERFACES);
        return source;
    }

    boolean hasSources() {
        return !sources.isEmpty();
    }

    /**
     * Requests the last reading of all sources, and waits for it at most this long. On Android, the process may be
     * killed afterwards.
     */
    void readLast(long limitNs) {
        long end = System.nanoTime() + limitNs;
        int rounds = lastRounds;
        isLastDue = true;
        LockSupport.unpark(thread);
        boolean isInterrupted = Thread.interrupted(); // parking needs the flag clear
        while (lastRounds == rounds && !stopping && end - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, Limits.LAST_READING_STEP_NS);
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads all sources once more, then ends. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        long next = System.nanoTime();
        long nextTraffic = next;
        while (!stopping) {
            long before = platform.threadCpuNanos();
            long now = System.nanoTime();
            boolean isDue = now - nextTraffic >= 0;
            if (isDue) {
                nextTraffic += trafficIntervalNs * ((now - nextTraffic) / trafficIntervalNs + 1);
            }
            if (isLastDue) {
                sampleLast();
            } else {
                sample(isDue);
            }
            costNs = (3 * costNs + platform.threadCpuNanos() - before) / 4;
            next = Math.max(next + widened(intervalNs, costNs), System.nanoTime());
            for (long left = next - System.nanoTime();
                    left > 0 && !stopping && !isLastDue;
                    left = next - System.nanoTime()) {
                Thread.interrupted(); // the application cannot interrupt this thread on purpose
                LockSupport.parkNanos(this, left);
            }
        }
        sampleLast();
    }

    /** Reads each source once, those that are late after a moment. */
    private void sampleLast() {
        isLastDue = false;
        for (FileSource source : sources) {
            source.finish();
        }
        sample(true);
        lastRounds++; // only this thread writes it
    }

    /** Returns the interval at which rounds of this cost stay within the share of a core. */
    static long widened(long intervalNs, long costNs) {
        return Math.max(intervalNs, Limits.CORE_SHARE * costNs);
    }

    /** Reads each source once, those of traffic only on request. */
    void sample(boolean withTraffic) {
        for (Iterator<FileSource> each = sources.iterator(); each.hasNext(); ) {
            FileSource source = each.next();
            if (source.isTraffic && !withTraffic) {
                continue;
            }
            reading.cut(0);
            try {
                long start = platform.nanoTime();
                source.read(reading);
                long end = platform.nanoTime();
                source.failures = 0;
                if (reading.size() > 0) {
                    counters.counter(start, end, source.id, reading.array(), reading.size());
                }
            } catch (IOException e) {
                if (source.failures++ == 0) {
                    Platform.note("counter_unreadable", "cannot read ", source.path + ": " + e.getMessage());
                }
                if (source.failures == Limits.MOST_FAILURES) {
                    each.remove();
                }
            }
        }
    }
}
