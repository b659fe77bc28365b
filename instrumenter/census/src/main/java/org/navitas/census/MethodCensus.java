package org.navitas.census;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.edits.EditableBlocks;
import org.navitas.instrument.probes.CounterPlacement;

/** The operations of one method's blocks. */
final class MethodCensus {
    static final String SOURCE = "source";
    static final String BYTECODE = "bytecode";

    /** An operation of the source without a block, and its line. */
    static final class Unmatched {
        final String operation;
        final int line;

        Unmatched(String operation, int line) {
            this.operation = operation;
            this.line = line;
        }
    }

    final String name;
    final String descriptor;
    final BasicBlocks blocks;
    /** Where the source of each block is. */
    final List<BlockPlace> places;

    final EditableBlocks editable;
    /** Where a build with counters counts these blocks. */
    final CounterPlacement counters;
    /** Counts of operations by block. */
    final List<Map<String, Integer>> counts = new ArrayList<>();
    /** Counts of the operations in each block's editable range. */
    final List<Map<String, Integer>> editCounts = new ArrayList<>();

    final List<Unmatched> unmatched = new ArrayList<>();
    /** {@link #SOURCE} or {@link #BYTECODE}. */
    String by = BYTECODE;
    /** Why the source was not used, or null. */
    String note;

    MethodCensus(
            MethodInfo method,
            BasicBlocks blocks,
            List<BlockPlace> places,
            EditableBlocks editable,
            CounterPlacement counters) {
        this.name = method.getName();
        this.descriptor = method.getDescriptor();
        this.blocks = blocks;
        this.places = places;
        this.editable = editable;
        this.counters = counters;
        blocks.blocks().forEach(block -> {
            counts.add(new TreeMap<>());
            editCounts.add(new TreeMap<>());
        });
    }

    /** Adds an operation of the instruction at an offset. */
    void add(int pc, String operation) {
        add(blocks.blockOf(pc), pc, operation);
    }

    private void add(int block, int pc, String operation) {
        counts.get(block).merge(operation, 1, Integer::sum);
        EditableBlocks.Range range = editable.range(block);
        if (range != null && range.contains(pc)) {
            editCounts.get(block).merge(operation, 1, Integer::sum);
        }
    }

    /** Counts the operations of all instructions. */
    static MethodCensus ofBytecode(
            ClassFile file,
            MethodInfo method,
            BasicBlocks blocks,
            List<BlockPlace> places,
            EditableBlocks editable,
            CounterPlacement counters,
            InstructionTable table) {
        MethodCensus census = new MethodCensus(method, blocks, places, editable, counters);
        CodeIterator code = method.getCodeAttribute().iterator();
        List<Integer> instructions = blocks.instructions();
        for (int i = 0; i < instructions.size(); i++) {
            int block = PatternSwitch.block(file, code, blocks, i);
            for (String operation : table.operations(method, code, instructions.get(i))) {
                census.add(block, instructions.get(i), operation);
            }
        }
        return census;
    }
}
