package org.navitas.instrument;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.Opcode;

/**
 * Chooses the blocks of a method that get a counter, and gives the executions of each block as a sum and difference of
 * counters. Immutable.
 *
 * <p>Executions are a flow (Knuth and Stevenson 1973, doi:10.1007/BF01951942): each block leads from the junction
 * before it to the junction after it, and a jump makes the junction after one block that before another. What enters a
 * junction leaves it. A spanning tree of junctions has the blocks without a counter: blocks in loops first, since they
 * run most often. If sums would be very long, as in a method that is one chain of branches, each block has a counter.
 *
 * <p>A block that can throw may be left in the middle, so the junction after it is the outside of the method, and so
 * are handlers, the entry and returns. The sums are thus exact for all calls that have ended, by an exception or not.
 * They are exact for open calls, too, as long as these are within an instruction that can throw, such as a call.
 */
public final class CounterPlacement {
  private static final int OUTSIDE = 0;
  /** The most terms of all sums, for each block. Beyond it, counters are cheaper. */
  private static final int MOST_TERMS = 64;

  private final int blocks;
  /** The junctions before and after each block. */
  private final int[] before;
  private final int[] after;
  private final int[] counterOf;
  private final List<List<Integer>> plus = new ArrayList<>();
  private final List<List<Integer>> minus = new ArrayList<>();
  private int counters;
  private long terms;

  /**
   * Places counters in a graph of blocks.
   *
   * @param successors the blocks that can follow each block
   * @param isEntered whether a block can be entered from elsewhere
   * @param isLeft whether a block can be left to elsewhere, from any place in it
   */
  CounterPlacement(int[][] successors, boolean[] isEntered, boolean[] isLeft) {
    blocks = successors.length;
    before = new int[blocks];
    after = new int[blocks];
    counterOf = new int[blocks];
    DisjointSets junctions = new DisjointSets(2 * blocks + 1);
    for (int block = 0; block < blocks; block++) {
      plus.add(new ArrayList<>());
      minus.add(new ArrayList<>());
      for (int next : successors[block]) {
        junctions.join(2 * block + 2, 2 * next + 1);
      }
      if (isEntered[block]) {
        junctions.join(2 * block + 1, OUTSIDE);
      }
      if (isLeft[block] || successors[block].length == 0) {
        junctions.join(2 * block + 2, OUTSIDE);
      }
    }
    for (int block = 0; block < blocks; block++) {
      before[block] = junctions.find(2 * block + 1);
      after[block] = junctions.find(2 * block + 2);
    }
    place(NaturalLoops.of(successors).depths());
  }

  /**
   * Places the counters of a method.
   *
   * @param code the method's code
   * @param blocks its blocks
   * @return where counters go
   * @throws InstrumentException if the code is malformed
   */
  public static CounterPlacement of(CodeAttribute code, BasicBlocks blocks) throws InstrumentException {
    int count = blocks.blocks().size();
    boolean[] isEntered = new boolean[count];
    boolean[] isLeft = new boolean[count];
    isEntered[0] = true;
    CodeScan scan;
    try {
      scan = new CodeScan(code.getCode());
    } catch (MalformedClassException e) {
      throw new InstrumentException(e.getMessage(), e);
    }
    for (int pc : blocks.instructions()) {
      isLeft[blocks.blockOf(pc)] |= ThrowingCode.at(scan, code.getConstPool(), pc);
    }
    for (int i = 0; i < count; i++) {
      isLeft[i] |= isSubroutine(scan.opcode(blocks.blocks().get(i).lastPc)); // nothing shows where a subroutine returns to
    }
    for (int i = 0; i < code.getExceptionTable().size(); i++) {
      isEntered[blocks.blockOf(code.getExceptionTable().handlerPc(i))] = true;
    }
    return new CounterPlacement(blocks.successors(), isEntered, isLeft);
  }

  private static boolean isSubroutine(int op) {
    return op == Opcode.JSR || op == Opcode.JSR_W || op == Opcode.RET || op == Opcode.WIDE;
  }

  /**
   * Returns the number of counters.
   *
   * @return at least 1, and at most the number of blocks
   */
  public int counters() {
    return counters;
  }

  /**
   * Returns a block's counter.
   *
   * @param block the block's number
   * @return the counter's number, or -1 if the block has none
   */
  public int counterOf(int block) {
    return counterOf[block];
  }

  /**
   * Returns the counters to add up for a block's executions.
   *
   * @param block the block's number
   * @return an unmodifiable list, ascending
   */
  public List<Integer> plus(int block) {
    return Collections.unmodifiableList(plus.get(block));
  }

  /**
   * Returns the counters to subtract for a block's executions.
   *
   * @param block the block's number
   * @return an unmodifiable list, ascending
   */
  public List<Integer> minus(int block) {
    return Collections.unmodifiableList(minus.get(block));
  }

  private void place(int[] depths) {
    Integer[] order = new Integer[blocks];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparing(block -> -depths[block])); // stable: in code order within a depth
    DisjointSets connected = new DisjointSets(2 * blocks + 1);
    Tree tree = new Tree(2 * blocks + 1);
    boolean[] inTree = new boolean[blocks];
    for (int block : order) {
      inTree[block] = connected.join(before[block], after[block]);
      if (inTree[block]) {
        tree.add(block);
      }
    }
    tree.root();
    for (int block = 0; block < blocks; block++) {
      counterOf[block] = inTree[block] ? -1 : counters++;
      if (!inTree[block]) {
        plus.get(block).add(counterOf[block]);
        tree.close(block);
      }
      if (terms > (long) MOST_TERMS * blocks) {
        countEach();
        return;
      }
    }
  }

  private void countEach() {
    counters = blocks;
    for (int block = 0; block < blocks; block++) {
      counterOf[block] = block;
      plus.set(block, new ArrayList<>(Collections.singletonList(block)));
      minus.set(block, new ArrayList<>());
    }
  }

  /** The blocks without a counter, as edges of a forest of junctions. */
  private final class Tree {
    private final List<List<Integer>> edges = new ArrayList<>();
    /** The edge towards the root, or -1, and the number of edges to the root; by junction. */
    private final int[] up;
    private final int[] level;

    Tree(int junctions) {
      up = new int[junctions];
      level = new int[junctions];
      for (int i = 0; i < junctions; i++) {
        edges.add(new ArrayList<>());
      }
    }

    void add(int block) {
      edges.get(before[block]).add(block);
      edges.get(after[block]).add(block);
    }

    void root() {
      Arrays.fill(up, -1);
      boolean[] seen = new boolean[up.length];
      List<Integer> todo = new ArrayList<>();
      for (int root = 0; root < up.length; root++) {
        todo.clear();
        if (!seen[root]) {
          seen[root] = true;
          todo.add(root);
        }
        for (int i = 0; i < todo.size(); i++) {
          int junction = todo.get(i);
          for (int edge : edges.get(junction)) {
            int other = before[edge] == junction ? after[edge] : before[edge];
            if (!seen[other]) {
              seen[other] = true;
              up[other] = edge;
              level[other] = level[junction] + 1;
              todo.add(other);
            }
          }
        }
      }
    }

    /** Adds a counted block's flow to the blocks that lead back from its end to its start. */
    void close(int block) {
      int end = after[block];
      int start = before[block];
      while (end != start) {
        terms++;
        if (level[end] >= level[start]) {
          boolean forwards = before[up[end]] == end;
          (forwards ? plus : minus).get(up[end]).add(counterOf[block]);
          end = forwards ? after[up[end]] : before[up[end]];
        } else {
          boolean forwards = after[up[start]] == start;
          (forwards ? plus : minus).get(up[start]).add(counterOf[block]);
          start = forwards ? before[up[start]] : after[up[start]];
        }
      }
    }
  }
}
