package org.navitas.instrument.probes;

import java.util.ArrayList;
import java.util.List;
import org.navitas.instrument.code.ThrowingCode;

/**
 * The executions of a method as a flow. Each block leads from the node before it to the node after it, and each jump
 * from the node after one block to the node before another. What enters a node leaves it. Immutable.
 */
final class FlowGraph {
    /** The node of all that is not in the method. */
    static final int OUTSIDE = 0;

    /** One way that executions take. */
    static final class Arc {
        /** The block, or the one that is left. */
        final int block;
        /** The block that follows; the same block for its own executions; -1 for exceptions. */
        final int next;

        final int from;
        final int to;
        /** An estimate of how often it is taken, for each call. */
        final double frequency;

        private Arc(int block, int next, int from, int to, double frequency) {
            this.block = block;
            this.next = next;
            this.from = from;
            this.to = to;
            this.frequency = frequency;
        }

        boolean isBlock() {
            return from == before(block) && to == after(block);
        }

        boolean isException() {
            return next < 0;
        }
    }

    final int blocks;
    final int nodes;
    /** Ways that can be counted: first the blocks. */
    final List<Arc> counted = new ArrayList<>();
    /** Ways that cannot be counted: all start or end outside. */
    final List<Arc> uncounted = new ArrayList<>();

    /**
     * Creates a graph.
     *
     * @param successors the blocks that can follow each block
     * @param isEntered whether a block can be entered from elsewhere
     * @param exits how a block can be left to elsewhere, from any place in it
     */
    FlowGraph(int[][] successors, boolean[] isEntered, ThrowingCode.Exit[] exits) {
        blocks = successors.length;
        nodes = 2 * blocks + 1;
        BlockFrequencies estimate = new BlockFrequencies(successors, isEntered);
        for (int block = 0; block < blocks; block++) {
            counted.add(new Arc(block, block, before(block), after(block), estimate.ofBlock[block]));
        }
        for (int block = 0; block < blocks; block++) {
            for (int i = 0; i < successors[block].length; i++) {
                int next = successors[block][i];
                counted.add(new Arc(block, next, after(block), before(next), estimate.ofSuccessors[block][i]));
            }
            if (isEntered[block]) {
                uncounted.add(new Arc(block, block, OUTSIDE, before(block), 0));
            }
            if (exits[block] == ThrowingCode.Exit.LATER || successors[block].length == 0) {
                uncounted.add(new Arc(block, -1, after(block), OUTSIDE, 0));
            } else if (exits[block] == ThrowingCode.Exit.AT_ONCE) {
                counted.add(new Arc(block, -1, after(block), OUTSIDE, 0));
            }
        }
    }

    private static int before(int block) {
        return 2 * block + 1;
    }

    private static int after(int block) {
        return 2 * block + 2;
    }
}
