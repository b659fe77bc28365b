package org.navitas.instrument.probes;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.NaturalLoops;
import org.navitas.instrument.code.ThrowingCode;

/**
 * The counters of a method that are in local variables while its loops run. These are counters of loops that call
 * nothing, use no lock and are in no exception handler's range, so that no other code depends on when they are added up.
 * That is where the loop is left: at the start of each block after it, and in a handler of all exceptions.
 *
 * <p>A counter in memory would be the slowest part of such a loop: each round waits for the last one's store.
 */
final class LocalCounters {
    static final LocalCounters NONE = new LocalCounters();
    /** The most counters of a method in local variables. A method with more of them keeps the rest in memory. */
    private static final int MOST = 32;

    /** The numbers of the counters. */
    final List<Integer> counters = new ArrayList<>();
    /** The counters to add up when a block starts or an exception leaves it, by block. */
    final Map<Integer, TreeSet<Integer>> atStart = new TreeMap<>();

    final Map<Integer, TreeSet<Integer>> atException = new TreeMap<>();

    private LocalCounters() {}

    /** Chooses the counters of a method, whose code may have been edited since they were placed. */
    static LocalCounters of(MethodInfo method, CodeScan scan, BasicBlocks blocks, CounterPlacement placement) {
        if (method.isConstructor()) {
            return NONE; // before the call of another constructor, no handler can be without "this"
        }
        List<BasicBlocks.Block> all = blocks.blocks();
        BitSet inLoops = callFree(scan, blocks);
        DisjointSets groups = new DisjointSets(all.size());
        inLoops.stream()
                .forEach(block -> all.get(block).successors.stream()
                        .filter(inLoops::get)
                        .forEach(next -> groups.join(block, next)));
        Map<Integer, TreeSet<Integer>> byGroup = new TreeMap<>();
        for (int counter = 0; counter < placement.counters(); counter++) {
            FlowGraph.Arc arc = placement.counted().get(counter);
            if (!arc.isException() && inLoops.get(arc.block) && inLoops.get(arc.next)) {
                byGroup.computeIfAbsent(groups.find(arc.block), group -> new TreeSet<>())
                        .add(counter);
            }
        }
        LocalCounters chosen = new LocalCounters();
        byGroup.values().removeIf(group -> !chosen.take(group));
        inLoops.stream()
                .filter(block -> byGroup.containsKey(groups.find(block)))
                .forEach(block -> {
                    TreeSet<Integer> group = byGroup.get(groups.find(block));
                    for (int next : all.get(block).successors) {
                        if (!inLoops.get(next)) {
                            chosen.atStart
                                    .computeIfAbsent(next, each -> new TreeSet<>())
                                    .addAll(group);
                        }
                    }
                    if (blocks.instructions(block).stream()
                            .anyMatch(pc -> ThrowingCode.at(scan, method.getConstPool(), pc))) {
                        chosen.atException.put(block, group);
                    }
                });
        return chosen;
    }

    private boolean take(TreeSet<Integer> group) {
        return counters.size() + group.size() <= MOST && counters.addAll(group);
    }

    /** Returns the blocks of loops in which counters can be in local variables. */
    private static BitSet callFree(CodeScan scan, BasicBlocks blocks) {
        List<BasicBlocks.Block> all = blocks.blocks();
        BitSet busy = new BitSet();
        for (int block = 0; block < all.size(); block++) {
            boolean isBusy = !all.get(block).handlers.isEmpty();
            for (int pc : blocks.instructions(block)) {
                isBusy |= isCallOrLock(scan, pc);
            }
            busy.set(block, isBusy);
        }
        BitSet free = new BitSet();
        for (BitSet body : NaturalLoops.of(blocks.successors()).bodies) {
            if (!body.intersects(busy)) {
                free.or(body);
            }
        }
        return free;
    }

    /** Whether an instruction runs other code, makes counters visible to other threads, or is of a subroutine. */
    private static boolean isCallOrLock(CodeScan scan, int pc) {
        int op = scan.opcode(pc);
        return op >= Opcode.INVOKEVIRTUAL && op <= Opcode.INVOKEDYNAMIC
                || op == Opcode.MONITORENTER
                || op == Opcode.MONITOREXIT
                || scan.isSubroutine(pc);
    }
}
