package org.navitas.io;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/**
 * Runs the plan in plan.txt of the working folder, and writes phases.txt with the times of each phase.
 *
 * <p>The plan's first line has the server's port. Each other line is a phase: lane, method, amount. Lanes are threads.
 */
public class PhasesTest {
    @Test
    public void phases() throws Exception {
        List<String> plan = Files.readAllLines(new File("plan.txt").toPath());
        Phases phases = new Phases("127.0.0.1", Integer.parseInt(plan.get(0)), new File("files"));
        Map<String, List<String[]>> lanes = new TreeMap<>();
        for (String line : plan.subList(1, plan.size())) {
            String[] words = line.split(" ");
            lanes.computeIfAbsent(words[0], lane -> new ArrayList<>()).add(words);
        }
        long cpuBefore = cpuNs(), before = System.nanoTime();
        List<Lane> running = new ArrayList<>();
        for (Map.Entry<String, List<String[]>> lane : lanes.entrySet()) {
            Lane thread = new Lane(phases, lane.getKey(), lane.getValue());
            thread.start();
            running.add(thread);
        }
        for (Lane lane : running) lane.join();
        long after = System.nanoTime(), cpu = cpuNs() - cpuBefore;
        try (PrintWriter out = new PrintWriter(new FileWriter("phases.txt"))) {
            out.println("test - " + before + " " + after + " " + cpu);
            for (Lane lane : running) {
                for (String line : lane.done) out.println(line);
                if (lane.failure != null) throw new AssertionError(lane.getName(), lane.failure);
            }
        }
    }

    private static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static final class Lane extends Thread {
        private final Phases phases;
        private final List<String[]> plan;
        final List<String> done = new ArrayList<>();
        Exception failure;

        Lane(Phases phases, String name, List<String[]> plan) {
            super(name);
            this.phases = phases;
            this.plan = plan;
        }

        @Override
        public void run() {
            try {
                for (String[] phase : plan) {
                    Method method = Phases.class.getMethod(phase[1], int.class);
                    long before = System.nanoTime();
                    method.invoke(phases, Integer.parseInt(phase[2]));
                    done.add(phase[0] + " " + phase[1] + " " + before + " " + System.nanoTime() + " " + phase[2]);
                }
            } catch (Exception e) {
                failure = e;
            }
        }
    }
}
