package org.navitas.instrument.probes;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;

/** Finds the places in a method's code that run exactly as often as what is counted. */
final class CounterPlaces {
    private final CodeScan scan;
    private final BasicBlocks blocks;
    private final CounterCode counting;
    private final CodeInsertions insertions;
    /** How many blocks can lead to each block; all others for handlers and the method's start. */
    private final int[] before;

    CounterPlaces(CodeScan scan, BasicBlocks blocks, CounterCode counting, CodeInsertions insertions) {
        this.scan = scan;
        this.blocks = blocks;
        this.counting = counting;
        this.insertions = insertions;
        before = new int[blocks.blocks().size()];
        before[0] = before.length;
        for (BasicBlocks.Block block : blocks.blocks()) {
            block.successors.forEach(next -> before[next]++);
            block.handlers.forEach(handler -> before[handler] += before.length);
        }
    }

    /** Inserts all counters. */
    void insert(List<FlowGraph.Arc> counted, LocalCounters locals) throws MalformedClassException {
        locals.atStart.forEach((block, group) -> insertions.at(firstPc(block), counting.addUp(group)));
        Map<Integer, Integer> exceptions = new TreeMap<>();
        for (int counter = 0; counter < counted.size(); counter++) {
            FlowGraph.Arc arc = counted.get(counter);
            if (arc.isException()) {
                exceptions.put(arc.block, counter);
            } else if (arc.isBlock()) {
                insertions.at(firstPc(arc.block), counting.count(counter));
            } else {
                insert(arc.block, arc.next, counting.count(counter));
            }
        }
        TreeSet<Integer> throwing = new TreeSet<>(exceptions.keySet());
        throwing.addAll(locals.atException.keySet());
        for (int block : throwing) {
            byte[] handler = counting.handler(
                    exceptions.containsKey(block)
                            ? Collections.singleton(exceptions.get(block))
                            : Collections.emptySet(),
                    locals.atException.getOrDefault(block, new TreeSet<>()));
            insertions.handler(firstPc(block), block + 1 < before.length ? firstPc(block + 1) : scan.length(), handler);
        }
    }

    /** Inserts code between a block and one that can follow it. */
    private void insert(int block, int next, byte[] code) throws MalformedClassException {
        int jump = blocks.blocks().get(block).lastPc;
        int target = firstPc(next);
        int op = scan.opcode(jump);
        boolean jumps = scan.targets(jump).contains(target);
        if (before[next] == 1) {
            insertions.at(target, code);
        } else if (jumps && (op == Opcode.GOTO || op == Opcode.GOTO_W || op == Opcode.JSR || op == Opcode.JSR_W)) {
            insertions.at(jump, code); // subroutines cannot have detours: the verifier knows them by their start
        } else {
            if (jumps) {
                insertions.detour(jump, target, code);
            }
            if (scan.next(jump) == target && !CodeScan.isSwitch(op)) {
                insertions.falling(target, code);
            }
        }
    }

    private int firstPc(int block) {
        return blocks.blocks().get(block).firstPc;
    }
}
