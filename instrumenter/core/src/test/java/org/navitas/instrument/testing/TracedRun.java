package org.navitas.instrument.testing;

import java.util.Map;
import org.navitas.runtime.BlockProbe;
import org.navitas.runtime.Probe;

/** Runs a target in a process of its own, and prints the calls of its probes and the sum of its counters. */
public final class TracedRun {
    private TracedRun() {}

    public static void main(String[] arguments) throws Exception {
        Class.forName(arguments[0]).getMethod("run").invoke(null);
        long executed = 0;
        for (Map.Entry<Integer, long[]> method : BlockProbe.take().entrySet()) {
            for (long each : method.getValue()) {
                executed += each;
            }
        }
        System.out.println(executed + " " + String.join(" ", Probe.take()));
    }
}
