import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Four threads spend 10, 20, 30 and 40 % of their CPU time in four methods. With a second argument, pairs of them share a core. */
public class Duty {
    static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    static volatile double sink;

    static void ten(long until) { spin(until); }

    static void twenty(long until) { spin(until); }

    static void thirty(long until) { spin(until); }

    static void forty(long until) { spin(until); }

    static void spin(long until) {
        double sum = 0;
        while (CLOCK.getCurrentThreadCpuTime() < until) {
            for (int i = 1; i < 20000; i++) sum += 1.0 / i;
        }
        sink = sum;
    }

    static void work(int rounds, Random random) {
        List<Integer> order = new ArrayList<>(List.of(1, 2, 3, 4));
        // What a loop is late by is the next one's.
        long due = CLOCK.getCurrentThreadCpuTime();
        for (int round = 0; round < rounds; round++) {
            Collections.shuffle(order, random);
            for (int share : order) {
                due += share * 1_000_000L;
                switch (share) {
                    case 1 -> ten(due);
                    case 2 -> twenty(due);
                    case 3 -> thirty(due);
                    default -> forty(due);
                }
            }
        }
    }

    static void pin(int cpu) {
        try {
            String tid = Path.of("/proc/thread-self").toRealPath().getFileName().toString();
            new ProcessBuilder("taskset", "-pc", Integer.toString(cpu), tid).start().waitFor();
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    public static void main(String[] words) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            threads.add(new Thread(() -> {
                if (words.length > 1) pin(number / 2);
                work(Integer.parseInt(words[0]), new Random(number));
            }, "duty-" + i));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) thread.join();
    }
}
