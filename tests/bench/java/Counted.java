import java.util.function.IntUnaryOperator;

/** Workloads whose time with and without counters of basic blocks is compared. Prints the ns of each, the least of its rounds. */
public final class Counted {
    private static final int ROUNDS = 15;
    private static volatile int seed = 1;

    private int value;

    private Counted() {}

    /** Three small methods for each step: a getter, a setter and a function with a branch. */
    static int methods(int steps) {
        Counted object = new Counted();
        for (int i = 0; i < steps; i++) {
            object.set(next(object.get() + i));
        }
        return object.get();
    }

    int get() {
        return value;
    }

    void set(int given) {
        value = given;
    }

    static int next(int x) {
        return (x & 1) == 0 ? x >> 1 : 3 * x + 1;
    }

    /** Blocks without calls: counts bits in a loop with two branches. */
    static int loops(int steps) {
        int found = 0;
        for (int i = 0; i < steps; i++) {
            int x = i * 0x9E3779B9;
            if ((x & 16) != 0) {
                found += x & 3;
            } else if ((x & 32) != 0) {
                found ^= x;
            }
        }
        return found;
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int recursion(int steps) {
        return fib(steps);
    }

    /** Array accesses, each of which can throw: insertion sort. */
    static int arrays(int steps) {
        int[] all = new int[steps];
        for (int i = 0; i < steps; i++) {
            int x = i * 0x9E3779B9;
            int at = i;
            while (at > 0 && all[at - 1] > x) {
                all[at] = all[at - 1];
                at--;
            }
            all[at] = x;
        }
        return all[steps / 2];
    }

    private static void time(String name, IntUnaryOperator work, int steps) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            seed = work.applyAsInt(steps);
            least = Math.min(least, System.nanoTime() - begin);
        }
        System.out.println(name + " " + least);
    }

    public static void main(String[] arguments) {
        time("methods", Counted::methods, 10_000_000);
        time("loops", Counted::loops, 20_000_000);
        time("recursion", Counted::recursion, 32);
        time("arrays", Counted::arrays, 6_000);
    }
}
