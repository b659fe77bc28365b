package org.navitas.bench;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.navitas.hooks.files.CountedFileInputStream;
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
 * Measures what a hooked call costs its thread: the hook alone, around nothing, and a small read of a file with and
 * without hooks, in turns. Costs are CPU time of the calling thread, without the writer.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class HookBenchmark {
    private static final int CALLS = 2048;
    private static final int FILE_READ = 0;
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    /** The recording of this process, and a file without an end. */
    @State(Scope.Benchmark)
    public static class Recording {
        @Param({"events", "folded"})
        public String mode;

        private File out;
        private InputStream plain;
        private InputStream hooked;

        @Setup(Level.Trial)
        public void begin() throws Exception {
            out = Files.createTempDirectory("navitas-bench").toFile();
            System.setProperty("navitas.out", out.getPath());
            System.setProperty("navitas.mode", mode);
            System.setProperty("navitas.hooks", "true");
            System.setProperty("navitas.eventBudgetBytes", "" + Long.MAX_VALUE);
            plain = new FileInputStream("/dev/zero");
            hooked = new CountedFileInputStream("/dev/zero");
        }

        @TearDown(Level.Trial)
        public void end() throws Exception {
            plain.close();
            hooked.close();
            for (File file : out.listFiles()) {
                file.delete();
            }
            out.delete();
        }
    }

    /** Keeps a call open, since an outermost call also reads the CPU clock. */
    @State(Scope.Thread)
    public static class Outermost {
        final byte[] buffer = new byte[1];

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
        public double hookNs;
        public double plainNs;
        public double hookedNs;
    }

    @Benchmark
    @OperationsPerInvocation(3 * CALLS)
    public int calls(Recording recording, Outermost outermost, Costs costs) throws IOException {
        long begin = CLOCK.getCurrentThreadCpuTime();
        for (int i = 0; i < CALLS; i++) {
            long start = Hook.begin(FILE_READ);
            Hook.end(FILE_READ, start, Hook.FILE_READ, 0, 1, 1);
        }
        long hook = CLOCK.getCurrentThreadCpuTime();
        int result = 0;
        for (int i = 0; i < CALLS; i++) {
            result += recording.plain.read(outermost.buffer);
        }
        long plain = CLOCK.getCurrentThreadCpuTime();
        for (int i = 0; i < CALLS; i++) {
            result += recording.hooked.read(outermost.buffer);
        }
        long hooked = CLOCK.getCurrentThreadCpuTime();
        costs.calls += CALLS;
        costs.hookNs += hook - begin;
        costs.plainNs += plain - hook;
        costs.hookedNs += hooked - plain;
        return result;
    }
}
