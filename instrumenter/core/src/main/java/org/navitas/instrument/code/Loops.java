package org.navitas.instrument.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import javassist.bytecode.Opcode;

/**
 * The loops of a method, as groups of blocks that can all reach each other. Nested loops are one group. Finds the local
 * variables that decide where a loop goes on: those that its blocks with a conditional jump or a switch load.
 */
public final class Loops {
    private final int[] groupOf;
    private final List<BitSet> loaded = new ArrayList<>();

    private Loops(int blocks) {
        groupOf = new int[blocks];
        Arrays.fill(groupOf, -1);
    }

    public static Loops of(BasicBlocks blocks, CodeScan scan) throws MalformedClassException {
        List<BasicBlocks.Block> all = blocks.blocks();
        List<List<Integer>> forward = new ArrayList<>();
        List<List<Integer>> backward = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            List<Integer> next = new ArrayList<>(all.get(i).successors);
            next.addAll(all.get(i).handlers);
            forward.add(next);
            backward.add(new ArrayList<>());
        }
        for (int i = 0; i < all.size(); i++) {
            for (int next : forward.get(i)) {
                backward.get(next).add(i);
            }
        }
        Loops loops = new Loops(all.size());
        boolean[] seen = new boolean[all.size()];
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            visit(i, forward, seen, order);
        }
        // Kosaraju: against the jumps, in the reverse of the order in which blocks were left.
        seen = new boolean[all.size()];
        for (int i = order.size() - 1; i >= 0; i--) {
            List<Integer> group = new ArrayList<>();
            visit(order.get(i), backward, seen, group);
            if (group.size() > 1
                    || group.size() == 1 && forward.get(group.get(0)).contains(group.get(0))) {
                loops.add(group, blocks, scan);
            }
        }
        return loops;
    }

    /** Returns the local variables that the conditions of a block's loop load; empty outside of loops. */
    public BitSet conditions(int block) {
        return groupOf[block] < 0 ? new BitSet() : loaded.get(groupOf[block]);
    }

    private void add(List<Integer> group, BasicBlocks blocks, CodeScan scan) throws MalformedClassException {
        BitSet locals = new BitSet();
        for (int number : group) {
            groupOf[number] = loaded.size();
            BasicBlocks.Block block = blocks.blocks().get(number);
            if (!scan.targets(block.lastPc).isEmpty() && !isGoto(scan.opcode(block.lastPc))) {
                for (int pc = block.firstPc; pc <= block.lastPc; pc = scan.next(pc)) {
                    LocalUse use = LocalUse.at(scan, pc);
                    if (use != null && use.reads()) {
                        locals.set(use.local);
                    }
                }
            }
        }
        loaded.add(locals);
    }

    private static boolean isGoto(int op) {
        return op == Opcode.GOTO || op == Opcode.GOTO_W;
    }

    /** Adds all blocks that a block reaches and that were not seen before, each after those that it reaches. */
    private static void visit(int start, List<List<Integer>> edges, boolean[] seen, List<Integer> left) {
        if (seen[start]) {
            return;
        }
        seen[start] = true;
        Deque<int[]> path = new ArrayDeque<>(Collections.singletonList(new int[] {start, 0}));
        while (!path.isEmpty()) {
            int[] top = path.peek();
            List<Integer> next = edges.get(top[0]);
            if (top[1] == next.size()) {
                left.add(path.pop()[0]);
            } else {
                int to = next.get(top[1]++);
                if (!seen[to]) {
                    seen[to] = true;
                    path.push(new int[] {to, 0});
                }
            }
        }
    }
}
