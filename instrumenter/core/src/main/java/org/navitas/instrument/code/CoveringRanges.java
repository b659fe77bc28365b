package org.navitas.instrument.code;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import javassist.bytecode.ExceptionTable;

/**
 * The exception handlers of a method by the code that they cover. Each is found once, at the first look at an offset that
 * it covers. All looks together take O(n log n) steps for n bytes of code and entries of the table: a range is listed at
 * the O(log n) nodes of a segment tree that it consists of, and a look empties the nodes above an offset.
 */
final class CoveringRanges {
    private final int length;
    /** The entries of the exception table at each node; null for none. The children of node i are 2 i and 2 i + 1. */
    private final List<List<Integer>> nodes;

    private final BitSet found = new BitSet();

    CoveringRanges(ExceptionTable table, int length) {
        this.length = length;
        nodes = new ArrayList<>(Collections.nCopies(table.size() == 0 ? 0 : 2 * length, null));
        for (int entry = 0; entry < table.size(); entry++) {
            int from = table.startPc(entry) + length;
            int to = Math.min(table.endPc(entry), length) + length;
            for (; from < to; from /= 2, to /= 2) {
                if (from % 2 == 1) {
                    add(from++, entry);
                }
                if (to % 2 == 1) {
                    add(--to, entry);
                }
            }
        }
    }

    private void add(int node, int entry) {
        if (nodes.get(node) == null) {
            nodes.set(node, new ArrayList<>());
        }
        nodes.get(node).add(entry);
    }

    /** Returns the entries that cover an offset, without those that were returned before; ascending. */
    List<Integer> next(int pc) {
        if (nodes.isEmpty()) {
            return Collections.emptyList();
        }
        List<Integer> fresh = new ArrayList<>();
        for (int node = pc + length; node > 0; node /= 2) {
            List<Integer> entries = nodes.set(node, null);
            for (int entry : entries == null ? Collections.<Integer>emptyList() : entries) {
                if (!found.get(entry)) {
                    found.set(entry);
                    fresh.add(entry);
                }
            }
        }
        Collections.sort(fresh);
        return fresh;
    }
}
