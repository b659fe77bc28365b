package org.navitas.instrument.probes;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.Test;
import org.navitas.instrument.code.ThrowingCode.Exit;

/** Sums and differences of counters are the executions of all blocks, in any graph and with exceptions anywhere. */
public class CounterPlacementTest {
    private static final int GRAPHS = 4_000;
    private static final int CALLS = 12;
    private static final int STEPS = 60;

    @Test
    public void formulasGiveExecutionsInRandomGraphs() {
        long executed = 0;
        long counted = 0;
        for (int seed = 0; seed < GRAPHS; seed++) {
            Graph graph = new Graph(new Random(seed));
            CounterPlacement placement = graph.placement(seed % 9 == 0);
            graph.run(placement);
            graph.check("seed " + seed, placement);
            executed += graph.steps;
            counted += Arrays.stream(graph.counters).sum();
        }
        assertTrue(counted + " of " + executed, counted < 0.8 * executed);
    }

    @Test
    public void countsOncePerCallWithoutLoops() {
        // if (a && b && c) { 3 } else { 4 } return
        Graph graph = new Graph(new int[][] {{1, 4}, {2, 4}, {3, 4}, {5}, {5}, {}});
        check(graph, 1, new int[] {0, 1, 2, 3, 5}, new int[] {0, 4, 5}, new int[] {0, 1, 4, 5}, new int[] {0, 1, 2, 4, 5
        });
    }

    @Test
    public void countsOncePerRoundOfALoop() {
        // for (init 0; test 1; body 2, then 3 or 4, step 5) and return 6
        Graph graph = new Graph(new int[][] {{1}, {2, 6}, {3, 4}, {5}, {5}, {1}, {}});
        check(graph, 3, new int[] {0, 1, 2, 3, 5, 1, 2, 4, 5, 1, 6});
    }

    @Test
    public void countsTheBlocksAfterACallSeparately() {
        int[][] successors = {{1}, {}};
        boolean[] entered = {true, false};
        assertEquals(
                1,
                new Graph(successors, entered, Exit.NONE, Exit.LATER)
                        .placement(false)
                        .counters());
        assertEquals(
                2,
                new Graph(successors, entered, Exit.LATER, Exit.LATER)
                        .placement(false)
                        .counters());
    }

    @Test
    public void countsExceptionsOfTheMachineInsteadOfBlocks() {
        Graph graph = new Graph(
                new int[][] {{1}, {2}, {}}, new boolean[] {true, false, false}, Exit.AT_ONCE, Exit.AT_ONCE, Exit.NONE);
        CounterPlacement placement = graph.placement(false);
        graph.path(placement, 0, 1, 2);
        assertEquals(1, Arrays.stream(graph.counters).sum());
        graph.exception(placement, 0, 1);
        assertEquals(2, graph.executions[0]);
        assertEquals(1, graph.executions[2]);
        graph.check("after an exception", placement);
    }

    @Test
    public void countsEachBlockOfALongChainOfReturns() {
        // if (a) return; if (b) return; …: each condition runs as often as all later ones together
        int conditions = 8000;
        int[][] successors = new int[2 * conditions + 1][];
        for (int i = 0; i < conditions; i++) {
            successors[2 * i] = new int[] {2 * i + 1, 2 * i + 2};
            successors[2 * i + 1] = new int[] {};
        }
        successors[2 * conditions] = new int[] {};
        Graph graph = new Graph(successors);
        CounterPlacement placement = graph.placement(false);
        graph.path(placement, 0, 2, 4, 6, 7);
        graph.check("chain", placement);
        long terms = 0;
        for (int block = 0; block < successors.length; block++) {
            terms += placement.plus(block).size() + placement.minus(block).size();
        }
        assertTrue(terms + " terms", terms <= 65L * successors.length);
    }

    /** Checks the formulas, and how often all paths together count. */
    private static void check(Graph graph, int perPath, int[]... paths) {
        CounterPlacement placement = graph.placement(false);
        for (int[] path : paths) {
            graph.path(placement, path);
        }
        graph.check("paths", placement);
        assertEquals(
                (long) perPath * paths.length, Arrays.stream(graph.counters).sum());
    }

    /** Returns a block's executions, from counters. */
    static long value(CounterPlacement placement, int block, long[] counters) {
        long sum = placement.plus(block).stream().mapToLong(i -> counters[i]).sum();
        return sum - placement.minus(block).stream().mapToLong(i -> counters[i]).sum();
    }

    /** A graph whose blocks can throw to handlers or out of the method, what was executed in it, and its counters. */
    private static final class Graph {
        final int[][] successors;
        final boolean[] isEntered;
        final Exit[] exits;
        final long[] executions;
        long[] counters;
        long steps;
        private int[] handler;
        private Random random;

        Graph(int[][] successors, boolean[] isEntered, Exit... exits) {
            this.successors = successors;
            this.isEntered = isEntered;
            this.exits = exits;
            executions = new long[successors.length];
        }

        Graph(int[][] successors) {
            this(successors, new boolean[successors.length], new Exit[successors.length]);
            isEntered[0] = true;
            Arrays.fill(exits, Exit.NONE);
        }

        Graph(Random random) {
            this(new int[1 + random.nextInt(14)][]);
            this.random = random;
            int blocks = successors.length;
            handler = new int[blocks];
            double throwing = random.nextDouble() * random.nextDouble();
            for (int block = 0; block < blocks; block++) {
                TreeSet<Integer> next = new TreeSet<>();
                for (int n = random.nextInt(4); n > 0; n--) {
                    next.add(
                            random.nextInt(3) > 0
                                    ? Math.min(blocks - 1, block + random.nextInt(3))
                                    : random.nextInt(blocks));
                }
                successors[block] = next.stream().mapToInt(Integer::intValue).toArray();
                exits[block] =
                        random.nextDouble() >= throwing ? Exit.NONE : random.nextBoolean() ? Exit.LATER : Exit.AT_ONCE;
                handler[block] = exits[block] == Exit.LATER && random.nextBoolean() ? random.nextInt(blocks) : -1;
                if (handler[block] >= 0) {
                    isEntered[handler[block]] = true;
                }
            }
        }

        CounterPlacement placement(boolean each) {
            CounterPlacement placement = new CounterPlacement(new FlowGraph(successors, isEntered, exits), each);
            counters = new long[placement.counters()];
            return placement;
        }

        /** Runs calls to their ends. Discards a call that does not end in time. */
        void run(CounterPlacement placement) {
            for (int call = 0; call < CALLS; call++) {
                long[] countersBefore = counters.clone();
                long[] executionsBefore = executions.clone();
                int block = 0;
                for (int step = 0; block >= 0; step++) {
                    count(placement, block, block);
                    executions[block]++;
                    if (exits[block] != Exit.NONE && random.nextInt(4) == 0) {
                        if (exits[block] == Exit.AT_ONCE) {
                            count(placement, block, -1);
                        }
                        block = handler[block];
                    } else {
                        int[] next = successors[block];
                        int to = next.length == 0 ? -1 : next[random.nextInt(next.length)];
                        if (to >= 0) {
                            edge(placement, block, to);
                        }
                        block = to;
                    }
                    if (step == STEPS) {
                        counters = countersBefore;
                        System.arraycopy(executionsBefore, 0, executions, 0, executions.length);
                        break;
                    }
                }
            }
            steps = Arrays.stream(executions).sum();
        }

        /** Runs one call along blocks, to its end. */
        void path(CounterPlacement placement, int... path) {
            for (int i = 0; i < path.length; i++) {
                count(placement, path[i], path[i]);
                executions[path[i]]++;
                if (i + 1 < path.length) {
                    edge(placement, path[i], path[i + 1]);
                }
            }
        }

        /** Runs one call along blocks, of which the last one throws. */
        void exception(CounterPlacement placement, int... path) {
            path(placement, path);
            count(placement, path[path.length - 1], -1);
        }

        private void edge(CounterPlacement placement, int block, int next) {
            count(placement, arc -> arc.block == block && arc.next == next && !arc.isBlock());
        }

        private void count(CounterPlacement placement, int block, int next) {
            count(placement, arc -> arc.block == block && arc.next == next && arc.isBlock() == (block == next));
        }

        private void count(CounterPlacement placement, Predicate<FlowGraph.Arc> taken) {
            for (int counter = 0; counter < counters.length; counter++) {
                counters[counter] += taken.test(placement.counted().get(counter)) ? 1 : 0;
            }
        }

        void check(String message, CounterPlacement placement) {
            for (int block = 0; block < executions.length; block++) {
                assertEquals(message + ", block " + block, executions[block], value(placement, block, counters));
            }
        }
    }
}
