package org.navitas.runtime;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The recording of one process: buffers, the thread registry, the writer and the sampler.
 *
 * <p>Test listeners call the static methods, which do nothing if there is no recording. All methods are thread-safe.
 */
public final class Recorder implements Runnable {
    /** Kinds of {@link #mark}. */
    public static final int RUN_START = 0, TEST_START = 1, TEST_FINISH = 2, RUN_END = 3;
    /** Statuses of {@link #mark}. */
    public static final int PASSED = 0, FAILED = 1, IGNORED = 2, ASSUMPTION = 3;

    final Platform platform;
    final BufferPool eventBuffers;
    final BufferPool anchorBuffers;
    final BufferPool foldBuffers;
    /** For records of hooks and handoffs. */
    final BufferPool hookBuffers;
    /** Nodes that all call trees together can still add. */
    final AtomicInteger spareNodes;
    /** Anchors closer than this use up credit. */
    final long creditNs;

    final Writer writer;
    /** Null unless in tick mode. */
    final Ticker ticker;

    final Threads threads;
    final Settings settings;
    /** If not null, busy threads run it every few ms, within a call, to measure what their probes cost. */
    volatile Runnable sample;
    /** How many marks there were. */
    volatile int marks;

    private final ChunkWriter out;
    private final RecordLog markers = new RecordLog(Format.MARKERS);
    private final RecordLog counters = new RecordLog(Format.COUNTERS);
    private final Sampler sampler;
    private final AtomicLong eventBytes = new AtomicLong();
    private final AtomicInteger failures = new AtomicInteger();
    private Thread writerThread;
    private Thread samplerThread;

    Recorder(Platform platform, Settings settings, ChunkWriter out, int buffers) {
        this.platform = platform;
        this.settings = settings;
        this.out = out;
        eventBuffers = new BufferPool(Limits.EVENT_WORDS, buffers, 0);
        anchorBuffers = new BufferPool(Limits.ANCHOR_WORDS, Limits.ANCHOR_BUFFERS * buffers, 0);
        int nodes = Limits.NODES * buffers;
        foldBuffers = new BufferPool(Limits.FOLD_WORDS, Limits.FOLD_BUFFERS * buffers, Format.ROW_WORDS * nodes);
        hookBuffers = new BufferPool(Limits.HOOK_WORDS, Limits.HOOK_BUFFERS * buffers, 0);
        spareNodes = new AtomicInteger(nodes);
        creditNs = Math.max(1, settings.anchorIntervalNs / 10);
        writer = new Writer(
                platform, out, settings.flushIntervalNs, markers, counters, new RecordLog(Format.CLOCK_TRIPLES));
        ticker = settings.ticked ? new Ticker(platform, settings.tickIntervalNs) : null;
        sampler = new Sampler(platform, settings, counters, out, ticker);
        threads = new Threads(this);
    }

    /** Returns the recorder if this process is configured for one; otherwise null. */
    static Recorder create() throws IOException {
        Platform platform = Platform.detect();
        Settings settings = Settings.load(platform.userId());
        if (settings == null) {
            return null;
        }
        if (System.getProperty(Format.RECORDING) != null) {
            Platform.note("second_runtime", "another copy of the runtime is active", "");
            return null;
        }
        platform.threadCpuNanos(); // whatever the JVM lacks for it shows here, and its classes are initialized
        long mapId = Settings.mapId();
        int process = platform.processId();
        FileSink sink = settings.logcat ? new LogcatSink(platform, process) : new FileSink(settings.out, process);
        System.setProperty(Format.RECORDING, "true");
        ChunkWriter out = new ChunkWriter(sink, mapId);
        return new Recorder(platform, settings, out, buffers(settings));
    }

    /** Number of event buffers: a 64th of the memory, within limits. */
    private static int buffers(Settings settings) {
        long memory = Runtime.getRuntime().maxMemory() / 64 / (8 * Limits.EVENT_WORDS);
        int most = settings.logcat ? Limits.LOGCAT_EVENT_BUFFERS : Limits.MOST_EVENT_BUFFERS;
        return (int) Math.max(Limits.LEAST_EVENT_BUFFERS, Math.min(most, memory));
    }

    /** Starts the threads. If this throws, {@link #stop} ends those that run. */
    void begin() {
        writerThread = Start.own(Limits.WRITER_THREAD, writer);
        writerThread.start();
        if (ticker != null) {
            Start.own(Limits.TICKER_THREAD, ticker).start();
        }
        if (sampler.hasSources()) {
            samplerThread = Start.own(Limits.SAMPLER_THREAD, sampler);
            samplerThread.start();
        }
        Runtime.getRuntime().addShutdownHook(Start.own(Limits.END_THREAD, this));
    }

    /** Ends the threads soon after. */
    void stop() {
        sampler.stop();
        writer.stop();
        if (ticker != null) {
            ticker.stopping = true;
        }
    }

    /** Ends the recording: writes the rest, within a time limit. Later calls are not recorded. */
    @Override
    public void run() {
        try {
            if (samplerThread != null) {
                sampler.stop();
                samplerThread.join(Limits.STOP_LIMIT_MS / 10);
            }
            writer.publish();
            stop();
            writerThread.join(Limits.STOP_LIMIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads all counters, then waits until everything recorded so far is written, for at most five seconds. */
    public static void flush() {
        Recorder recorder = Start.recorder();
        if (recorder != null) {
            recorder.publishOwn();
            recorder.writer.publish();
            if (recorder.samplerThread != null) {
                recorder.sampler.readLast(Limits.LAST_READING_LIMIT_NS);
            }
            recorder.writer.flush(Limits.FLUSH_LIMIT_MS);
        }
    }

    /** Publishes the calling thread's folded calls; the writer may have to free a buffer first. */
    private void publishOwn() {
        if (!current().publish()) {
            writer.flush(Limits.FLUSH_LIMIT_MS);
            current().publish();
        }
    }

    /** Requests that everything recorded so far is written soon. Does not wait. */
    public static void requestFlush() {
        Recorder recorder = Start.recorder();
        if (recorder != null) {
            recorder.writer.flush(0);
        }
    }

    /**
     * Marks that the run or a test begins or ends.
     *
     * @param kind {@link #RUN_START}, {@link #TEST_START}, {@link #TEST_FINISH} or {@link #RUN_END}
     * @param status {@link #PASSED}, {@link #FAILED}, {@link #IGNORED} or {@link #ASSUMPTION}; used when a test
     *     finishes
     * @param test {@code class#method}, or empty for a run
     */
    public static void mark(int kind, int status, String test) {
        Recorder recorder = Start.recorder();
        if (recorder != null) {
            recorder.publishOwn(); // so that folded calls before and after the mark are separate
            recorder.writer.publish();
            recorder.marker(kind, status, test);
            recorder.anchorOwn();
        }
    }

    /** Reads the calling thread's CPU time at the mark, unless a call does it. */
    private void anchorOwn() {
        if (settings.unprobed) {
            current().enter(Format.EDGE, platform);
            current().exit(Format.EDGE, Format.EXIT, platform);
        }
    }

    synchronized void marker(int kind, int status, String test) {
        marks++;
        markers.marker(platform.nanoTime(), kind, status, settings.repeat, test);
    }

    /** Returns the calling thread's recorder. */
    ThreadRecorder current() {
        return threads.current();
    }

    /** Returns whether threads may record calls as events. */
    boolean eventsAllowed() {
        return !settings.folded && eventBytes.get() < settings.eventBudgetBytes;
    }

    /** Returns whether folded calls are written. After {@link #flush}, those of the calling thread are, too. */
    boolean hasFolded() {
        return out.foldedBytes() > 0;
    }

    /** Counts events against the budget. */
    void spent(int events) {
        eventBytes.addAndGet(8L * events);
    }

    /**
     * Returns the time between two anchors. While folding, it doubles each time that the folded bytes double beyond the
     * budget.
     */
    long anchorIntervalNs(boolean folding) {
        long over = folding ? out.foldedBytes() / Math.max(settings.eventBudgetBytes, 1 << 20) : 0;
        return settings.anchorIntervalNs << Math.min(Limits.MAX_WIDENING, 64 - Long.numberOfLeadingZeros(over));
    }

    /** Returns the minimum time between two replacements of a full call tree; none within the budget. */
    long renewalNs() {
        return out.foldedBytes() < settings.eventBudgetBytes ? 0 : anchorIntervalNs(true);
    }

    /** Called when an error of the runtime or a lack of memory ends a thread's recording. */
    void failed(Throwable cause) {
        if (failures.compareAndSet(0, 1)) {
            Platform.note("thread_stopped", "a thread is no longer recorded: ", cause);
        }
    }
}
