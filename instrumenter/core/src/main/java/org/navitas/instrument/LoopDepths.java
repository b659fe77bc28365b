package org.navitas.instrument;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * The number of loops around each block. A loop has one header: the target of back edges of a depth-first search. It
 * contains the blocks from which a back edge can be reached without the header.
 */
final class LoopDepths {
  private final int[][] successors;
  private final List<List<Integer>> predecessors = new ArrayList<>();
  private final List<BitSet> backEdges = new ArrayList<>();

  private LoopDepths(int[][] successors) {
    this.successors = successors;
    for (int block = 0; block < successors.length; block++) {
      predecessors.add(new ArrayList<>());
      backEdges.add(new BitSet());
    }
    for (int block = 0; block < successors.length; block++) {
      for (int next : successors[block]) {
        predecessors.get(next).add(block);
      }
    }
  }

  /** Returns the depths by block. */
  static int[] of(int[][] successors) {
    LoopDepths loops = new LoopDepths(successors);
    loops.search();
    int[] depths = new int[successors.length];
    for (int header = 0; header < depths.length; header++) {
      loops.body(header).stream().forEach(block -> depths[block]++);
    }
    return depths;
  }

  /** Finds the back edges, from each block that no earlier search has reached: the entry, then handlers. */
  private void search() {
    BitSet seen = new BitSet();
    BitSet open = new BitSet();
    int[] turn = new int[successors.length];
    for (int root = 0; root < successors.length; root++) {
      Deque<Integer> path = new ArrayDeque<>();
      if (!seen.get(root)) {
        path.push(root);
        seen.set(root);
        open.set(root);
      }
      while (!path.isEmpty()) {
        int block = path.peek();
        if (turn[block] == successors[block].length) {
          open.clear(path.pop());
          continue;
        }
        int next = successors[block][turn[block]++];
        if (open.get(next)) {
          backEdges.get(next).set(block);
        } else if (!seen.get(next)) {
          seen.set(next);
          open.set(next);
          path.push(next);
        }
      }
    }
  }

  private BitSet body(int header) {
    BitSet body = new BitSet();
    Deque<Integer> todo = new ArrayDeque<>();
    backEdges.get(header).stream().forEach(todo::add);
    if (!todo.isEmpty()) {
      body.set(header);
    }
    while (!todo.isEmpty()) {
      int block = todo.poll();
      if (!body.get(block)) {
        body.set(block);
        todo.addAll(predecessors.get(block));
      }
    }
    return body;
  }
}
