package org.navitas.bench;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.navitas.runtime.Probe;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
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
 * Measures what a probed call costs its thread: entry and exit, while records are handed over and written. For
 * comparison, runs the same call without probes, and with two clock readings instead, in turns of a fraction of a
 * millisecond.
 *
 * <p>The call site has seen eight classes of each kind, so nothing is inlined into the caller. It then calls one of
 * them repeatedly, or all eight in turn. Costs are the CPU time of the calling threads, without the writer and without
 * other processes on the same cores.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 60, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class ProbeBenchmark {
    private static final int SITES = 64;
    private static final int CALLS = 32 * SITES;
    private static final int CLASSES = 8;
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    /** The recording of this process. */
    @State(Scope.Benchmark)
    public static class Recording {
        @Param({"events", "folded", "tick"})
        public String mode;

        private File out;

        @Setup(Level.Trial)
        public void begin() throws Exception {
            out = Files.createTempDirectory("navitas-bench").toFile();
            System.setProperty("navitas.out", out.getPath());
            System.setProperty("navitas.mode", mode);
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

    /** The called objects. */
    @State(Scope.Benchmark)
    public static class Callees {
        @Param({"one", "eight"})
        public String callees;

        Callee[] plain;
        Callee[] clock;
        Callee[] probed;

        @Setup(Level.Trial)
        public void prepare(Recording recording) throws Exception {
            int different = callees.equals("one") ? 1 : CLASSES;
            plain = sites(Callee.Plain.class, different);
            clock = sites(Callee.Clock.class, different);
            probed = sites(Callee.Probed.class, different);
        }

        private static Callee[] sites(Class<? extends Callee> original, int different) throws Exception {
            Callee[] copies = Callee.copies(original, CLASSES);
            Callee[] all = new Callee[SITES];
            Callee[] sites = new Callee[SITES];
            for (int i = 0; i < SITES; i++) {
                all[i] = copies[i % CLASSES];
                sites[i] = copies[i % different];
            }
            Probe.enter(0);
            for (int i = 0; i < 20_000; i++) {
                call(all, i);
            }
            Probe.exit(0);
            return sites;
        }
    }

    /** Keeps a call open in each thread, since an outermost call also reads the CPU clock. */
    @State(Scope.Thread)
    public static class Outermost {
        @Setup(Level.Iteration)
        public void enter(Callees first) {
            Probe.enter(0);
        }

        @TearDown(Level.Iteration)
        public void leave() {
            Probe.exit(0);
        }
    }

    /** Sums of an iteration, over the threads. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Costs {
        public double calls;
        public double plainNs;
        public double clockNs;
        public double probedNs;
    }

    @Benchmark
    @OperationsPerInvocation(3 * CALLS)
    public int calls(Callees callees, Outermost outermost, Costs costs) {
        long begin = CLOCK.getCurrentThreadCpuTime();
        int result = repeat(callees.plain, 1);
        long plain = CLOCK.getCurrentThreadCpuTime();
        result = repeat(callees.clock, result);
        long clock = CLOCK.getCurrentThreadCpuTime();
        result = repeat(callees.probed, result);
        long probed = CLOCK.getCurrentThreadCpuTime();
        costs.calls += CALLS;
        costs.plainNs += plain - begin;
        costs.clockNs += clock - plain;
        costs.probedNs += probed - clock;
        return result;
    }

    private static int repeat(Callee[] callees, int x) {
        int result = x;
        for (int i = 0; i < CALLS / SITES; i++) {
            result = call(callees, result);
        }
        return result;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    static int call(Callee[] callees, int x) {
        int result = x;
        for (Callee callee : callees) {
            result = callee.call(result);
        }
        return result;
    }
}
