package org.navitas.bench;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.navitas.runtime.Hook;
import org.navitas.runtime.Probe;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures what the record of a communication between modules costs its thread, in turns with two readings of the clock.
 * Costs are CPU time of the calling thread, without the writer.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class CommunicationBenchmark {
    private static final int CALLS = 2048;
    private static final int START_SERVICE = 3;
    private static final String MODULE = "org.example.app.main.MainActivity";
    private static final String TARGET = "org.example.app.sync.SyncService";
    private static final String ACTION = "org.example.app.action.SYNC_NOW";
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    /** The recording of this process. */
    @State(Scope.Benchmark)
    public static class Recording {
        @Param({"events", "folded"})
        public String mode;

        private File out;

        @Setup(Level.Trial)
        public void begin() throws Exception {
            out = Files.createTempDirectory("navitas-bench").toFile();
            System.setProperty("navitas.out", out.getPath());
            System.setProperty("navitas.mode", mode);
            System.setProperty("navitas.hooks", "true");
            System.setProperty("navitas.eventBudgetBytes", "" + Long.MAX_VALUE);
        }

        @TearDown(Level.Trial)
        public void end() {
            for (File file : out.listFiles()) {
                file.delete();
            }
            out.delete();
        }
    }

    /** Keeps a call open, since an outermost call also reads the CPU clock. */
    @State(Scope.Thread)
    public static class Outermost {
        long token;

        @Setup(Level.Iteration)
        public void enter(Recording first) {
            Probe.enter(0);
        }

        @TearDown(Level.Iteration)
        public void leave() {
            Probe.exit(0);
        }
    }

    /** Sums of an iteration. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Costs {
        public double calls;
        public double clockNs;
        public double recordNs;
    }

    @Benchmark
    @OperationsPerInvocation(2 * CALLS)
    public long calls(Recording recording, Outermost outermost, Costs costs) {
        long begin = CLOCK.getCurrentThreadCpuTime();
        long sum = 0;
        for (int i = 0; i < CALLS; i++) {
            sum += System.nanoTime() ^ System.nanoTime();
        }
        long clock = CLOCK.getCurrentThreadCpuTime();
        for (int i = 0; i < CALLS; i++) {
            Hook.communication(Hook.now(), ++outermost.token, START_SERVICE, 0, MODULE, TARGET, ACTION);
        }
        long done = CLOCK.getCurrentThreadCpuTime();
        costs.calls += CALLS;
        costs.clockNs += clock - begin;
        costs.recordNs += done - clock;
        return sum;
    }
}
