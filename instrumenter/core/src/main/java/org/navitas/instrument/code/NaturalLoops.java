package org.navitas.instrument.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * The loops of a method's blocks. A loop has one header: the target of back edges of a depth-first search. It contains
 * the blocks from which a back edge can be reached without the header.
 */
public final class NaturalLoops {
    /** The blocks of each loop. */
    public final List<BitSet> bodies = new ArrayList<>();
    /** All blocks, in an order where only loops lead back: the reverse of the order in which a search leaves them. */
    public final int[] order;

    private final int[][] successors;
    private final List<List<Integer>> predecessors = new ArrayList<>();
    private final List<BitSet> backEdges = new ArrayList<>();

    private NaturalLoops(int[][] successors) {
        this.successors = successors;
        order = new int[successors.length];
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

    /** Finds the loops, given the blocks that can follow each block. */
    public static NaturalLoops of(int[][] successors) {
        NaturalLoops loops = new NaturalLoops(successors);
        loops.search();
        for (int header = 0; header < successors.length; header++) {
            if (loops.isHeader(header)) {
                loops.bodies.add(loops.body(header));
            }
        }
        return loops;
    }

    /** Returns whether a loop starts at a block. */
    public boolean isHeader(int block) {
        return !backEdges.get(block).isEmpty();
    }

    /** Returns the number of loops around each block. */
    public int[] depths() {
        int[] depths = new int[successors.length];
        bodies.forEach(body -> body.stream().forEach(block -> depths[block]++));
        return depths;
    }

    /** Finds the back edges, from each block that no earlier search has reached: the entry, then handlers. */
    private void search() {
        BitSet seen = new BitSet();
        BitSet open = new BitSet();
        int[] turn = new int[successors.length];
        int free = order.length;
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
                    order[--free] = path.pop();
                    open.clear(block);
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
        body.set(header);
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
