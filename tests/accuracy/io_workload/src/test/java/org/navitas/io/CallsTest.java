package org.navitas.io;

import java.io.File;
import java.io.FileWriter;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import org.junit.Test;

/** Writes calls.txt: what was called, how often, and the time and the thread's CPU time of each round in ns. The first rounds warm up. */
public class CallsTest {
    private static final int ROUNDS = 12, WRITES = 20_000, REQUESTS = 40;
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    @Test
    public void calls() throws Exception {
        int port = Integer.parseInt(Files.readAllLines(new File("plan.txt").toPath()).get(0));
        Calls calls = new Calls();
        try (PrintWriter out = new PrintWriter(new FileWriter("calls.txt"))) {
            for (int round = 0; round < ROUNDS; round++) {
                long start = System.nanoTime(), startCpu = CPU.getCurrentThreadCpuTime();
                calls.write(WRITES);
                long middle = System.nanoTime(), middleCpu = CPU.getCurrentThreadCpuTime();
                calls.browse(port, REQUESTS);
                long end = System.nanoTime(), endCpu = CPU.getCurrentThreadCpuTime();
                out.println("write " + WRITES + " " + (middle - start) + " " + (middleCpu - startCpu));
                out.println("browse " + REQUESTS + " " + (end - middle) + " " + (endCpu - middleCpu));
            }
        }
    }
}
