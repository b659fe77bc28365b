package org.navitas.runtime;

/**
 * Measures what a probe costs in this process, in place: short threads call the very same probes under method ids that no map
 * gives, and what that took is read from their own events. It is no part of the runtime's jar, which goes into every app.
 *
 * <p>A round is a batch of calls of small methods ({@link Sample}), one of the same without probes, and one of calls that end
 * by an exception (their probes alone: throwing is the application's own). The first rounds, whose outermost calls have another
 * id, are for the compiler.
 */
public final class Calibration implements Runnable {
    /** Method ids (docs/formats.md); outermost calls that do not count have the first. */
    private static final int WARM_UP = 0x3FFFFC;
    private static final int CALLER = Sample.CALLER;
    private static final int THROWING = 0x3FFFFF;
    private static final String NAME = "navitas-calibration";
    /** Calls of a batch: each event is written, what an epoch costs is to be small beside its calls, and ticks need time. */
    private static final int FEW = 512;
    private static final int EVENTS = 2_000;
    private static final int FOLDED = 10_000;
    private static final int TICKED = 50_000;
    /** Rounds and time for the compiler, which takes most of that time, and the calls that it counts. */
    private static final int WARM_ROUNDS = 40;
    private static final long WARM_NS = 200_000_000;
    /** Samples in such a round: a compiler counts them apart from the loops in them. */
    private static final int WARM_SAMPLES = 25;
    private static final int SAMPLE_CALLS = 41; // on the average
    /** Rounds that count: fewer where they take longer than that. */
    private static final int ROUNDS = 32;
    private static final int EVENT_ROUNDS = 16;
    private static final int LEAST_ROUNDS = 4;
    private static final long LIMIT_NS = 240_000_000;
    private static final long JOIN_MS = 1_000;
    /** More than any budget, in events. */
    private static final int PLENTY = Integer.MAX_VALUE;

    private final int most;
    private final Sample sample = new Sample();
    private int calls;
    /** Of all work, which is there to be needed. */
    private int result;

    private Calibration(int most) {
        this.most = most;
    }

    /**
     * Calibrates, for 240 to 480 ms, unless no calls are recorded: as events and, since a thread folds once their budget is
     * spent, as folds. Events of their own are not taken from that budget. From then on threads take samples of their own.
     */
    public static void measure() {
        try {
            Recorder recorder = Probe.RECORDER;
            if (recorder == null || recorder.settings.unprobed) {
                return;
            }
            if (recorder.settings.folded) {
                new Calibration(recorder.ticker != null ? TICKED : FOLDED).inThread();
                recorder.sample = recorder.ticker == null ? new Sample() : null;
                return;
            }
            if (!recorder.settings.logcat) { // that would take megabytes through the log
                Calibration events = new Calibration(EVENTS);
                recorder.spent(-PLENTY);
                events.inThread();
                recorder.spent(PLENTY - 2 * events.calls);
            }
            recorder.spent(PLENTY); // a new thread then folds from its first call
            new Calibration(FOLDED).inThread();
            recorder.spent(-PLENTY);
            recorder.sample = new Sample();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | LinkageError e) {
            Platform.note("not_calibrated", "the probes' cost is unknown: ", e);
        }
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
                // not asleep, which would lower the core's frequency
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
