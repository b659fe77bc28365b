package org.navitas.runtime;

/**
 * Measures what a probe costs in this process. Short threads call the real probes with reserved method ids, and their
 * events give the cost. This class is not in the runtime jar that goes into every app.
 *
 * <p>A round has three batches: calls of small methods ({@link Sample}), the same calls without probes, and calls that
 * end by an exception. The last batch measures the probes only, since throwing is the application's cost. The first
 * rounds warm up the compiler; their outermost calls have another id.
 */
public final class Calibration implements Runnable {
    /** Method ids (docs/dev/formats.md); outermost calls of warm-up rounds have the first. */
    private static final int WARM_UP = 0x3FFFFC;

    private static final int CALLER = Sample.CALLER;
    private static final int THROWING = 0x3FFFFF;
    private static final String NAME = "navitas-calibration";
    /** Calls of a batch: small enough to record each event, large enough that epochs cost little and ticks occur. */
    private static final int FEW = 512;

    private static final int EVENTS = 2_000;
    private static final int FOLDED = 10_000;
    private static final int TICKED = 50_000;
    /** Rounds and time for the compiler, and the number of calls after which it compiles. */
    private static final int WARM_ROUNDS = 40;

    private static final long WARM_NS = 200_000_000;
    /** Samples in a warm-up round; a compiler counts them separately from their loops. */
    private static final int WARM_SAMPLES = 25;

    private static final int SAMPLE_CALLS = 41; // on average
    /** Measured rounds; fewer if they take longer than the time below. */
    private static final int ROUNDS = 32;

    private static final int EVENT_ROUNDS = 16;
    private static final int LEAST_ROUNDS = 4;
    private static final long LIMIT_NS = 240_000_000;
    private static final long JOIN_MS = 1_000;
    /** More events than any budget. */
    private static final int PLENTY = Integer.MAX_VALUE;

    private final int most;
    private final Sample sample = new Sample();
    private int calls;
    /** Result of all work; keeps the compiler from removing it. */
    private int result;

    private Calibration(int most) {
        this.most = most;
    }

    /**
     * Calibrates for about 240 ms before the tests, unless no calls are recorded. Measures calls as the mode records
     * them; its own events do not count against the budget. Afterwards, threads also take samples while they run.
     */
    public static void measure() {
        measure(false);
    }

    /**
     * Calibrates folded calls after the tests if the mode records events, but threads have also folded: without a free
     * buffer, or once the event budget was spent. Most runs have not, and save the time.
     */
    public static void measureFolds() {
        measure(true);
    }

    private static void measure(boolean isAfterTests) {
        try {
            Recorder recorder = Start.recorder();
            if (recorder == null || recorder.settings.unprobed) {
                return;
            }
            if (isAfterTests) {
                afterTests(recorder);
            } else {
                beforeTests(recorder);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | LinkageError e) {
            Platform.note("not_calibrated", "the probes' cost is unknown: ", e);
        }
    }

    private static void beforeTests(Recorder recorder) throws InterruptedException {
        if (recorder.settings.folded) {
            new Calibration(recorder.ticker != null ? TICKED : FOLDED).inThread();
        } else if (recorder.settings.logcat) { // events would take megabytes of the log
            folded(recorder);
        } else {
            Calibration events = new Calibration(EVENTS);
            recorder.spent(-PLENTY);
            events.inThread();
            recorder.spent(PLENTY - 2 * events.calls);
        }
        recorder.sample = recorder.ticker == null ? new Sample() : null;
    }

    private static void afterTests(Recorder recorder) throws InterruptedException {
        if (!recorder.settings.folded && !recorder.settings.logcat && recorder.hasFolded()) {
            recorder.sample = null; // the calibration's own thread would take samples among its calls
            folded(recorder);
            Recorder.flush();
        }
    }

    private static void folded(Recorder recorder) throws InterruptedException {
        recorder.spent(PLENTY); // a new thread now folds from its first call
        new Calibration(FOLDED).inThread();
        recorder.spent(-PLENTY);
    }

    private void inThread() throws InterruptedException {
        Thread thread = new Thread(this, NAME);
        thread.setDaemon(true);
        thread.start();
        thread.join(JOIN_MS);
    }

    @Override
    public void run() {
        long start = System.nanoTime();
        for (int i = 1; i <= WARM_ROUNDS && System.nanoTime() - start < WARM_NS; i++) {
            round(WARM_UP, FEW);
            samples();
            while (System.nanoTime() - start < i * (WARM_NS / WARM_ROUNDS)) {
                // no sleep: it would lower the core's frequency
            }
        }
        int rounds = most == EVENTS ? EVENT_ROUNDS : ROUNDS;
        for (int i = 0; i < rounds && (i < LEAST_ROUNDS || System.nanoTime() - start < LIMIT_NS); i++) {
            round(CALLER, most);
        }
    }

    private void round(int parent, int count) {
        int chains = count / Sample.CHAIN;
        result += Sample.chains(parent, chains, chains) + Sample.chains(parent, 0, chains);
        throwing(parent, count);
        calls += 2 * count + 3;
    }

    private void samples() {
        Probe.enter(WARM_UP);
        for (int i = 0; i < WARM_SAMPLES; i++) {
            sample.run();
        }
        Probe.exit(WARM_UP);
        calls += WARM_SAMPLES * SAMPLE_CALLS + 1;
    }

    private void throwing(int parent, int count) {
        int x = parent;
        Probe.enter(parent);
        for (int i = 0; i < count; i++) {
            Probe.enter(THROWING);
            x = Sample.work(x);
            Probe.thrown(THROWING);
        }
        Probe.exit(parent);
        result += x;
    }
}
