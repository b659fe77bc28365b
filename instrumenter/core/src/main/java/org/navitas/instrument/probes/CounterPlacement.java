package org.navitas.instrument.probes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.code.ThrowingCode;
import org.navitas.instrument.code.UninitializedFrames;
import org.navitas.instrument.files.InstrumentException;

/**
 * Chooses what is counted in a method, and gives the executions of each block as a sum and difference of counters.
 * Immutable.
 *
 * <p>Executions are a flow (Knuth and Stevenson 1973, doi:10.1007/BF01951942; Ball and Larus 1994,
 * doi:10.1145/183432.183527). What is in a spanning tree of its {@link FlowGraph} needs no counter: preferably what is
 * taken most often. Each block has a counter if sums would be very long, as in a method that is one chain of branches, if
 * the code is long, or if it branches between {@code new} and the call of the constructor.
 *
 * <p>A block that can throw may be left in the middle. Exceptions that the machine itself throws are counted. Those of
 * calls are not: they leave the method in the tree, and so do calls that have not ended. The sums are thus exact for all
 * calls that have ended, by an exception or not, and for open calls that are within the call of a method.
 */
public final class CounterPlacement {
    /** The most terms of all sums, for each block. Beyond it, counters are cheaper. */
    private static final int MOST_TERMS = 64;
    /** The longest code that HotSpot compiles (DontCompileHugeMethods). Longer code gets no jumps and handlers that only count. */
    static final int MOST_CODE = 8000;

    private final FlowGraph graph;
    /** What is counted, by counter. */
    private final List<FlowGraph.Arc> counted = new ArrayList<>();

    private final List<List<Integer>> plus = new ArrayList<>();
    private final List<List<Integer>> minus = new ArrayList<>();
    private long terms;

    /** Places counters in a graph, or in each block. */
    CounterPlacement(FlowGraph graph, boolean each) {
        this.graph = graph;
        for (int block = 0; block < graph.blocks; block++) {
            plus.add(new ArrayList<>());
            minus.add(new ArrayList<>());
        }
        if (each || !place()) {
            countEach();
        }
    }

    /**
     * Places the counters of a method.
     *
     * @param method the method
     * @param blocks the blocks of its code
     * @return where counters go
     * @throws InstrumentException if the code is malformed
     */
    public static CounterPlacement of(MethodInfo method, BasicBlocks blocks) throws InstrumentException {
        CodeAttribute code = method.getCodeAttribute();
        int count = blocks.blocks().size();
        boolean[] isEntered = new boolean[count];
        ThrowingCode.Exit[] exits = new ThrowingCode.Exit[count];
        isEntered[0] = true;
        CodeScan scan;
        try {
            scan = new CodeScan(code.getCode());
        } catch (MalformedClassException e) {
            throw new InstrumentException(e.getMessage(), e);
        }
        for (int i = 0; i < count; i++) {
            ThrowingCode.Exit exit = ThrowingCode.Exit.NONE;
            for (int pc : blocks.instructions(i)) {
                ThrowingCode.Exit each = ThrowingCode.exit(scan, code.getConstPool(), pc);
                exit = each.compareTo(exit) > 0 ? each : exit;
            }
            BasicBlocks.Block block = blocks.blocks().get(i);
            // A handler of a constructor could have no "this". Nothing shows where a subroutine returns to.
            boolean canCount = !method.isConstructor() && block.handlers.isEmpty();
            boolean isUnknown = exit != ThrowingCode.Exit.NONE && !canCount || scan.isSubroutine(block.lastPc);
            exits[i] = isUnknown ? ThrowingCode.Exit.LATER : exit;
        }
        for (int i = 0; i < code.getExceptionTable().size(); i++) {
            isEntered[blocks.blockOf(code.getExceptionTable().handlerPc(i))] = true;
        }
        boolean each = scan.length() > MOST_CODE || UninitializedFrames.in(code);
        return new CounterPlacement(new FlowGraph(blocks.successors(), isEntered, exits), each);
    }

    /**
     * Returns the number of counters.
     *
     * @return at least 1
     */
    public int counters() {
        return counted.size();
    }

    /** Returns what each counter counts. */
    List<FlowGraph.Arc> counted() {
        return Collections.unmodifiableList(counted);
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

    private boolean place() {
        List<FlowGraph.Arc> order = new ArrayList<>(graph.counted);
        // To count a block is cheapest, so a jump of the same frequency is in the tree before it.
        order.sort(Comparator.comparingDouble((FlowGraph.Arc arc) -> -arc.frequency)
                .thenComparing(FlowGraph.Arc::isBlock));
        order.addAll(0, graph.uncounted);
        DisjointSets connected = new DisjointSets(graph.nodes);
        Tree tree = new Tree(graph.nodes);
        Set<FlowGraph.Arc> closing = new HashSet<>();
        for (FlowGraph.Arc arc : order) {
            if (connected.join(arc.from, arc.to)) {
                tree.add(arc);
            } else {
                closing.add(arc);
            }
        }
        tree.root();
        for (FlowGraph.Arc arc : graph.counted) {
            if (closing.contains(arc)) {
                tree.close(arc, counted.size());
                counted.add(arc);
            }
            if (terms > (long) MOST_TERMS * graph.blocks) {
                return false;
            }
        }
        return true;
    }

    private void countEach() {
        counted.clear();
        for (int block = 0; block < graph.blocks; block++) {
            counted.add(graph.counted.get(block));
            plus.set(block, new ArrayList<>(Collections.singletonList(block)));
            minus.set(block, new ArrayList<>());
        }
    }

    /** What has no counter, as edges of a forest of nodes. */
    private final class Tree {
        private final List<List<FlowGraph.Arc>> edges = new ArrayList<>();
        /** The edge towards the root, or null, and the number of edges to the root; by node. */
        private final FlowGraph.Arc[] up;

        private final int[] level;

        Tree(int nodes) {
            up = new FlowGraph.Arc[nodes];
            level = new int[nodes];
            for (int i = 0; i < nodes; i++) {
                edges.add(new ArrayList<>());
            }
        }

        void add(FlowGraph.Arc arc) {
            edges.get(arc.from).add(arc);
            edges.get(arc.to).add(arc);
        }

        void root() {
            boolean[] seen = new boolean[up.length];
            List<Integer> todo = new ArrayList<>();
            for (int root = 0; root < up.length; root++) {
                todo.clear();
                if (!seen[root]) {
                    seen[root] = true;
                    todo.add(root);
                }
                for (int i = 0; i < todo.size(); i++) {
                    int node = todo.get(i);
                    for (FlowGraph.Arc edge : edges.get(node)) {
                        int other = edge.from == node ? edge.to : edge.from;
                        if (!seen[other]) {
                            seen[other] = true;
                            up[other] = edge;
                            level[other] = level[node] + 1;
                            todo.add(other);
                        }
                    }
                }
            }
        }

        /** Adds a counter to what it counts, and to what leads back from its end to its start. */
        void close(FlowGraph.Arc arc, int counter) {
            add(plus, arc, counter);
            int end = arc.to;
            int start = arc.from;
            while (end != start) {
                terms++;
                if (level[end] >= level[start]) {
                    FlowGraph.Arc edge = up[end];
                    boolean forwards = edge.from == end;
                    add(forwards ? plus : minus, edge, counter);
                    end = forwards ? edge.to : edge.from;
                } else {
                    FlowGraph.Arc edge = up[start];
                    boolean forwards = edge.to == start;
                    add(forwards ? plus : minus, edge, counter);
                    start = forwards ? edge.from : edge.to;
                }
            }
        }

        private void add(List<List<Integer>> sums, FlowGraph.Arc arc, int counter) {
            if (arc.isBlock()) {
                sums.get(arc.block).add(counter);
            }
        }
    }
}
