package org.navitas.instrument;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import org.junit.Test;

/** Sums and differences of counters are the executions of all blocks, in any graph and with exceptions anywhere. */
public class CounterPlacementTest {
  private static final int GRAPHS = 4_000;
  private static final int CALLS = 12;
  private static final int STEPS = 60;

  @Test
  public void formulasGiveExecutionsInRandomGraphs() {
    long saved = 0;
    for (int seed = 0; seed < GRAPHS; seed++) {
      Graph graph = new Graph(new Random(seed));
      CounterPlacement placement = new CounterPlacement(graph.successors, graph.isEntered, graph.isLeft);
      long[] executions = graph.run();
      check("seed " + seed, placement, executions);
      saved += executions.length - placement.counters();
    }
    assertTrue("blocks without a counter: " + saved, saved > GRAPHS);
  }

  @Test
  public void countsStraightCodeOnce() {
    // 0: if → 1 | 2; 1, 2 → 3; 3 returns: one of the two branches follows from the others
    CounterPlacement placement = placement(new int[][] {{1, 2}, {3}, {3}, {}});
    assertEquals(2, placement.counters());
    check("then", placement, 5, 2, 3, 5);
    check("else", placement, 7, 0, 7, 7);
  }

  @Test
  public void countsTheCheaperBlocksOfLoops() {
    // for (init 0; test 1; body 2, then 3 or 4, step 5) and return 6; the inner blocks run most often
    CounterPlacement placement = placement(new int[][] {{1}, {2, 6}, {3, 4}, {5}, {5}, {1}, {}});
    assertEquals(3, placement.counters());
    assertTrue("the entry or the return has a counter", placement.counterOf(0) >= 0 || placement.counterOf(6) >= 0);
    check("loop", placement, 1, 11, 10, 4, 6, 10, 1);
  }

  @Test
  public void countsTheBlocksAfterACallSeparately() {
    int[][] successors = {{1}, {}};
    boolean[] entered = {true, false};
    assertEquals(1, new CounterPlacement(successors, entered, new boolean[] {false, true}).counters());
    assertEquals(2, new CounterPlacement(successors, entered, new boolean[] {true, true}).counters());
  }

  @Test
  public void countsEachBlockOfALongChainOfReturns() {
    // if (a) return; if (b) return; …: each condition runs as often as all later ones together
    int conditions = 8000;
    int[][] successors = new int[2 * conditions + 1][];
    long[] executions = new long[successors.length];
    for (int i = 0; i < conditions; i++) {
      successors[2 * i] = new int[] {2 * i + 1, 2 * i + 2};
      successors[2 * i + 1] = new int[] {};
      executions[2 * i] = 3L * (conditions - i) + 1;
      executions[2 * i + 1] = 3;
    }
    successors[2 * conditions] = new int[] {};
    executions[2 * conditions] = 1;
    CounterPlacement placement = placement(successors);
    check("chain", placement, executions);
    long terms = 0;
    for (int block = 0; block < successors.length; block++) {
      terms += placement.plus(block).size() + placement.minus(block).size();
    }
    assertTrue(terms + " terms", terms <= 65L * successors.length);
  }

  private static CounterPlacement placement(int[][] successors) {
    boolean[] entered = new boolean[successors.length];
    entered[0] = true;
    return new CounterPlacement(successors, entered, new boolean[successors.length]);
  }

  /** Checks the formulas against executions by block. */
  static void check(String message, CounterPlacement placement, long... executions) {
    long[] counters = new long[placement.counters()];
    for (int block = 0; block < executions.length; block++) {
      if (placement.counterOf(block) >= 0) {
        counters[placement.counterOf(block)] += executions[block];
      }
    }
    for (int block = 0; block < executions.length; block++) {
      assertEquals(message + ", block " + block, executions[block], value(placement, block, counters));
    }
  }

  /** Returns a block's executions, from counters. */
  static long value(CounterPlacement placement, int block, long[] counters) {
    long sum = placement.plus(block).stream().mapToLong(i -> counters[i]).sum();
    return sum - placement.minus(block).stream().mapToLong(i -> counters[i]).sum();
  }

  /** A random graph, whose blocks can throw to handlers or out of the method. */
  private static final class Graph {
    final int[][] successors;
    final boolean[] isEntered;
    final boolean[] isLeft;
    private final int[] handler;
    private final Random random;

    Graph(Random random) {
      this.random = random;
      int blocks = 1 + random.nextInt(14);
      successors = new int[blocks][];
      isEntered = new boolean[blocks];
      isLeft = new boolean[blocks];
      handler = new int[blocks];
      isEntered[0] = true;
      double throwing = random.nextDouble() * random.nextDouble();
      for (int block = 0; block < blocks; block++) {
        TreeSet<Integer> next = new TreeSet<>();
        for (int n = random.nextInt(4); n > 0; n--) {
          next.add(random.nextInt(3) > 0 ? Math.min(blocks - 1, block + random.nextInt(3)) : random.nextInt(blocks));
        }
        successors[block] = next.stream().mapToInt(Integer::intValue).toArray();
        isLeft[block] = random.nextDouble() < throwing;
        handler[block] = isLeft[block] && random.nextBoolean() ? random.nextInt(blocks) : -1;
        if (handler[block] >= 0) {
          isEntered[handler[block]] = true;
        }
      }
    }

    /** Runs calls to their ends and returns executions by block. Discards a call that does not end in time. */
    long[] run() {
      long[] all = new long[successors.length];
      for (int call = 0; call < CALLS; call++) {
        long[] executions = new long[successors.length];
        int block = 0;
        for (int step = 0; block >= 0; step++) {
          executions[block]++;
          if (isLeft[block] && random.nextInt(4) == 0) {
            block = handler[block];
          } else {
            int[] next = successors[block];
            block = next.length == 0 ? -1 : next[random.nextInt(next.length)];
          }
          if (step == STEPS) {
            Arrays.fill(executions, 0);
            break;
          }
        }
        for (int i = 0; i < all.length; i++) {
          all[i] += executions[i];
        }
      }
      return all;
    }
  }
}
