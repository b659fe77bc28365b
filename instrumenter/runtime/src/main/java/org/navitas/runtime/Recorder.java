package org.navitas.runtime;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One process's recording: buffers, the registry of threads, the writer and the sampler.
 *
 * <p>The static methods are for test listeners; they do nothing while nothing is recorded. All methods are thread-safe.
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
    /** How many more all call trees together may have. */
    final AtomicInteger spareNodes;
    /** Anchors closer than this use up credit. */
    final long creditNs;
    final Writer writer;
    /** Null unless ticks time the calls. */
    final Ticker ticker;
    final Threads threads;
    /** The runtime's own, whose probes record nothing. */
    final ThreadGroup ownThreads = new ThreadGroup("navitas");

    final Settings settings;
    /** Unless null, what busy threads do every few ms, within a call, to measure what their probes cost. */
    volatile Runnable sample;
    private final ChunkWriter out;
    private final RecordLog markers = new RecordLog(Format.MARKERS);
    private final RecordLog counters = new RecordLog(Format.COUNTERS);
    private final Sampler sampler;
    private final AtomicLong eventBytes = new AtomicLong();
    private final AtomicBoolean hasFailed = new AtomicBoolean();
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
        spareNodes = new AtomicInteger(nodes);
        creditNs = Math.max(1, settings.anchorIntervalNs / 10);
        writer = new Writer(platform, out, settings.flushIntervalNs, markers, counters, new RecordLog(Format.CLOCK_TRIPLES));
        ticker = settings.ticked ? new Ticker(platform, settings.tickIntervalNs) : null;
        sampler = new Sampler(platform, settings, counters, ticker);
        threads = new Threads(this);
    }

    /** The recorder that this process is configured for, or null. */
    static Recorder start() {
        try {
            Settings settings = Settings.load();
            if (settings == null) {
                return null;
            }
            Platform platform = Platform.detect();
            if (System.getProperty(Format.RECORDING) != null) {
                Platform.note("second_runtime", "another copy of the runtime is active", "");
                return null;
            }
            System.setProperty(Format.RECORDING, "true");
            int process = platform.processId();
            Sink sink = settings.logcat ? new LogcatSink(platform, process) : new FileSink(settings.out, process);
            ChunkWriter out = new ChunkWriter(sink, Settings.mapId());
            Recorder recorder = new Recorder(platform, settings, out, buffers(settings));
            recorder.begin();
            return recorder;
        } catch (Exception | LinkageError e) {
            Platform.note("not_recording", "nothing is recorded: ", e);
            return null;
        }
    }

    /** For events: a 64th of the memory, within limits. */
    private static int buffers(Settings settings) {
        long memory = Runtime.getRuntime().maxMemory() / 64 / (8 * Limits.EVENT_WORDS);
        int most = settings.logcat ? Limits.LOGCAT_EVENT_BUFFERS : Limits.MOST_EVENT_BUFFERS;
        return (int) Math.max(Limits.LEAST_EVENT_BUFFERS, Math.min(most, memory));
    }

    void begin() {
        writerThread = own("navitas-writer", writer);
        writerThread.start();
        if (ticker != null) {
            own("navitas-ticker", ticker).start();
        }
        if (sampler.hasSources()) {
            samplerThread = own("navitas-sampler", sampler);
            samplerThread.start();
        }
        Runtime.getRuntime().addShutdownHook(own("navitas-end", this));
    }

    private Thread own(String name, Runnable task) {
        Thread thread = new Thread(ownThreads, task, name);
        thread.setDaemon(true);
        thread.setContextClassLoader(Recorder.class.getClassLoader());
        return thread;
    }

    /** Ends the recording: writes the rest, within a limit of time; what is recorded later is dropped. */
    @Override
    public void run() {
        try {
            if (samplerThread != null) {
                sampler.stop();
                samplerThread.join(Limits.STOP_LIMIT_MS / 10);
            }
            writer.stop();
            writerThread.join(Limits.STOP_LIMIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until everything recorded so far is written, at most five seconds. */
    public static void flush() {
        if (Probe.RECORDER != null) {
            Probe.RECORDER.publishOwn();
            Probe.RECORDER.writer.flush(Limits.FLUSH_LIMIT_MS);
        }
    }

    /** Publishes what the calling thread has folded; the writer may have to free a buffer for it first. */
    private void publishOwn() {
        if (!current().publish()) {
            writer.flush(Limits.FLUSH_LIMIT_MS);
            current().publish();
        }
    }

    /** Asks for everything recorded so far to be written soon. */
    public static void requestFlush() {
        if (Probe.RECORDER != null) {
            Probe.RECORDER.writer.flush(0);
        }
    }

    /** Marks what the tests are doing now; {@code test} is {@code class#method}, empty for a run. */
    public static void mark(int kind, int status, String test) {
        if (Probe.RECORDER != null) {
            Probe.RECORDER.publishOwn(); // folds of before and after a test's edge are told apart
            Probe.RECORDER.marker(kind, status, test);
            Probe.RECORDER.anchorOwn();
        }
    }

    /** Where no call does it, a test's edge reads the calling thread's CPU time. */
    private void anchorOwn() {
        if (settings.unprobed) {
            current().enter(Format.EDGE, platform);
            current().exit(Format.EDGE, Format.EXIT, platform);
        }
    }

    void marker(int kind, int status, String test) {
        markers.marker(platform.nanoTime(), kind, status, settings.repeat, test);
    }

    /** The calling thread's recorder. */
    ThreadRecorder current() {
        return threads.current();
    }

    /** Whether threads may record calls as events. */
    boolean eventsAllowed() {
        return !settings.folded && eventBytes.get() < settings.eventBudgetBytes;
    }

    /** So many events have been recorded. */
    void spent(int events) {
        eventBytes.addAndGet(8L * events);
    }

    /** The time between two anchors; folded, it doubles with each doubling of what folding has written over the budget. */
    long anchorIntervalNs(boolean folding) {
        long over = folding ? out.foldedBytes() / Math.max(settings.eventBudgetBytes, 1 << 20) : 0;
        return settings.anchorIntervalNs << Math.min(Limits.MAX_WIDENING, 64 - Long.numberOfLeadingZeros(over));
    }

    /** How soon after another a full call tree may make way for a new one: at once within the budget. */
    long renewalNs() {
        return out.foldedBytes() < settings.eventBudgetBytes ? 0 : anchorIntervalNs(true);
    }

    /** A thread's recording has ended by an error of the runtime or of memory. */
    void failed(Throwable cause) {
        if (hasFailed.compareAndSet(false, true)) {
            Platform.note("thread_stopped", "a thread is no longer recorded: ", cause);
        }
    }
}
