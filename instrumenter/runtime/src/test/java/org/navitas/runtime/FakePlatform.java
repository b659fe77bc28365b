package org.navitas.runtime;

import java.util.ArrayList;
import java.util.List;

/** A platform whose clocks the test sets. */
class FakePlatform extends Platform {
    volatile long now = 1_000_000;
    volatile long cpu = 500_000;
    int tid = 77;
    int refusals;
    final List<String> lines = new ArrayList<>();

    @Override
    long nanoTime() {
        return now;
    }

    @Override
    long threadCpuNanos() {
        return cpu;
    }

    @Override
    int threadId() {
        return tid;
    }

    @Override
    int processId() {
        return 4242;
    }

    @Override
    int userId() {
        return 10_057;
    }

    @Override
    long bootNanos() {
        return now + 7;
    }

    @Override
    long realNanos() {
        return now + 1_700_000_000_000_000_000L;
    }

    @Override
    boolean log(String line) {
        if (refusals > 0) {
            refusals--;
            return false;
        }
        lines.add(line);
        return true;
    }
}
