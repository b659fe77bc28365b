package org.navitas.runtime;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One process's recording: buffers, the registry of threads, the writer and the sampler.
 *
 * <p>The static methods are for test listeners; they do nothing while nothing is recorded. All methods are thread-safe.
 */
public final class Recorder {
    /** Kinds of {@link #mark}. */
    public static final int RUN_START = 0, TEST_START = 1, TEST_FINISH = 2, RUN_END = 3;
    /** Statuses of {@link #mark}. */
    public static final int PASSED = 0, FAILED = 1, IGNORED = 2, ASSUMPTION = 3;

    private static final String RECORDING = "navitas.recording";
    static final int EVENT_WORDS = 4096;
    private static final int ANCHOR_WORDS = 256;
    private static final int MAX_WIDENING = 6;
    private static final long FLUSH_LIMIT_MS = 5_000;
    private static final long STOP_LIMIT_MS = 10_000;

    final Platform platform;
    final BufferPool eventBuffers;
    final BufferPool anchorBuffers;
    final int maxNodes = 1 << 14;
    /** Anchors closer than this use up credit. */
    final long creditNs;
    final Writer writer;
    /** Null unless ticks time the calls. */
    final Ticker ticker;
    final Threads threads;

    private final Settings settings;
    private final ChunkWriter out;
    private final RecordLog markers = new RecordLog(RecordLog.MARKERS);
    private final RecordLog counters = new RecordLog(RecordLog.COUNTERS);
    private final Sampler sampler;
    private final AtomicLong eventBytes = new AtomicLong();
    private final AtomicBoolean hasFailed = new AtomicBoolean();
    private Thread writerThread;
    private Thread samplerThread;

    Recorder(Platform platform, Settings settings, ChunkWriter out, int buffers) {
        this.platform = platform;
        this.settings = settings;
        this.out = out;
        eventBuffers = new BufferPool(EVENT_WORDS, buffers);
        anchorBuffers = new BufferPool(ANCHOR_WORDS, 4 * buffers);
        creditNs = Math.max(1, settings.anchorIntervalNs / 10);
        writer = new Writer(platform, out, settings.flushIntervalNs, markers, counters, new RecordLog(RecordLog.CLOCK_TRIPLES));
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
            if (System.getProperty(RECORDING) != null) {
                Platform.note("a second copy of the runtime (another class loader's) records nothing");
                return null;
            }
            System.setProperty(RECORDING, "true");
            int process = platform.processId();
            Sink sink = settings.logcat ? new LogcatSink(platform, process) : new FileSink(settings.out, process);
            ChunkWriter out = new ChunkWriter(sink, Settings.mapId());
            Recorder recorder = new Recorder(platform, settings, out, buffers(settings));
            recorder.begin();
            return recorder;
        } catch (Exception | LinkageError e) {
            Platform.note("nothing is recorded: " + e);
            return null;
        }
    }

    /** A 64th of the memory, at most 16 MiB; over logcat less, since it is slow and folding then begins in time. */
    private static int buffers(Settings settings) {
        long memory = Runtime.getRuntime().maxMemory() / 64 / (8 * EVENT_WORDS);
        return (int) Math.max(32, Math.min(settings.logcat ? 64 : 1024, memory));
    }

    void begin() {
        writerThread = new OwnThread("navitas-writer", writer);
        writerThread.start();
        if (ticker != null) {
            new OwnThread("navitas-ticker", ticker).start();
        }
        if (sampler.hasSources()) {
            samplerThread = new OwnThread("navitas-sampler", sampler);
            samplerThread.start();
        }
        Runtime.getRuntime().addShutdownHook(new OwnThread("navitas-end", null));
    }

    /** A thread of the runtime's, whose probes record nothing: runs the task, or without one ends the recording. */
    private final class OwnThread extends Thread {
        private final Runnable task;

        OwnThread(String name, Runnable task) {
            super(name);
            this.task = task;
            setDaemon(true);
            setContextClassLoader(Recorder.class.getClassLoader());
        }

        @Override
        public void run() {
            threads.ignoreCurrent();
            if (task == null) {
                end();
            } else {
                task.run();
            }
        }
    }

    /** Writes the rest, within a limit of time; what is recorded later is dropped. */
    void end() {
        try {
            if (samplerThread != null) {
                sampler.stop();
                samplerThread.join(STOP_LIMIT_MS / 10);
            }
            writer.stop();
            writerThread.join(STOP_LIMIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until everything recorded so far is written, at most five seconds. */
    public static void flush() {
        if (Probe.RECORDER != null) {
            Probe.RECORDER.publishOwn();
            Probe.RECORDER.writer.flush(FLUSH_LIMIT_MS);
        }
    }

    /** Publishes what the calling thread has folded; the writer may have to free a buffer for it first. */
    private void publishOwn() {
        if (!current().publish()) {
            writer.flush(FLUSH_LIMIT_MS);
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
        return settings.anchorIntervalNs << Math.min(MAX_WIDENING, 64 - Long.numberOfLeadingZeros(over));
    }

    /** How soon after another a full call tree may make way for a new one: at once within the budget. */
    long renewalNs() {
        return out.foldedBytes() < settings.eventBudgetBytes ? 0 : anchorIntervalNs(true);
    }

    /** A thread's recording has ended by an error of the runtime or of memory. */
    void failed(Throwable cause) {
        if (hasFailed.compareAndSet(false, true)) {
            Platform.note("a thread is no longer recorded: " + cause);
        }
    }
}
