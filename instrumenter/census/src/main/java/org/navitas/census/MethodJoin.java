package org.navitas.census;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.code.BasicBlocks;

/**
 * Joins the events of a source method with the instructions of its bytecode: among the lines of a statement, the n-th
 * event of a kind is the n-th instruction of that kind.
 */
final class MethodJoin {
    /** With a larger share of unmatched operations, the bytecode's classes are used. */
    private static final double MOST_UNMATCHED = 0.2;

    private final BasicBlocks blocks;
    private final List<Event> events;
    /** For each event, the offsets of its instructions: several if the compiler copied it. */
    private final List<List<Integer>> matches = new ArrayList<>();
    /** Operations whose instruction is missing. Those that never have one do not show that the source is another. */
    private int missing;

    private final TreeSet<Integer> hidden = new TreeSet<>();

    private MethodJoin(BasicBlocks blocks, List<Event> events) {
        this.blocks = blocks;
        this.events = events;
        events.forEach(event -> matches.add(new ArrayList<>()));
    }

    static MethodCensus join(
            ClassFile file, MethodInfo method, MethodCensus bytecode, InstructionTable table, SourceMethod source) {
        Event.Concatenation other =
                table.hasDynamicConcatenation() ? Event.Concatenation.BUILDER : Event.Concatenation.DYNAMIC;
        List<Event> events =
                source.events.stream().filter(event -> event.when != other).collect(Collectors.toList());
        MethodJoin join = new MethodJoin(bytecode.blocks, events);
        CodeIterator code = method.getCodeAttribute().iterator();
        join.match(file, code);
        MethodCensus census =
                new MethodCensus(method, bytecode.blocks, bytecode.places, bytecode.editable, bytecode.counters);
        census.by = MethodCensus.SOURCE;
        int known = join.count(census);
        if (join.missing > MOST_UNMATCHED * (known + join.missing)) {
            bytecode.note =
                    join.missing + " of " + (known + join.missing) + " operations of the source have no instruction";
            return bytecode;
        }
        for (int pc : census.blocks.instructions()) {
            for (String operation : table.operations(method, code, pc)) {
                if (!join.hidden.contains(pc) && OperationTable.isOfInstruction(operation)) {
                    census.add(pc, operation);
                }
            }
        }
        return census;
    }

    private void match(ClassFile file, CodeIterator code) {
        LineGroups groups = new LineGroups(events);
        Map<String, List<Integer>> instructions = new HashMap<>();
        for (int pc : blocks.instructions()) {
            String kind = InstructionKinds.of(file, code, pc);
            if (kind != null) {
                instructions
                        .computeIfAbsent(groups.of(blocks.lineOf(pc)) + " " + kind, cell -> new ArrayList<>())
                        .add(pc);
            }
        }
        Map<String, List<Integer>> cells = new LinkedHashMap<>();
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).kind != null) {
                cells.computeIfAbsent(
                                groups.of(events.get(i).firstLine) + " " + events.get(i).kind,
                                cell -> new ArrayList<>())
                        .add(i);
            }
        }
        cells.forEach((cell, indexes) -> matchCell(indexes, instructions.getOrDefault(cell, new ArrayList<>())));
    }

    /** Matches the events of one kind in the lines of one statement to the instructions there. */
    private void matchCell(List<Integer> all, List<Integer> pcs) {
        List<Integer> certain =
                all.stream().filter(i -> !events.get(i).optional).collect(Collectors.toList());
        int trailing = 0;
        while (trailing < all.size() && events.get(all.get(all.size() - 1 - trailing)).optional) {
            trailing++;
        }
        if (pcs.size() <= all.size() && pcs.size() >= all.size() - trailing) {
            pair(all.subList(0, pcs.size()), pcs);
            return;
        }
        if (pcs.size() == certain.size()) {
            pair(certain, pcs);
            return;
        }
        List<Integer> originals =
                certain.stream().filter(i -> !events.get(i).isCopy).collect(Collectors.toList());
        boolean copied = originals.stream().allMatch(i -> events.get(i).inFinally);
        if (copied && !originals.isEmpty() && pcs.size() % originals.size() == 0) {
            // Another compiler makes another number of copies of a finally block.
            for (int i = 0; i < pcs.size(); i++) {
                add(originals.get(i % originals.size()), pcs.get(i));
            }
            return;
        }
        boolean oneBlock = pcs.stream().map(blocks::blockOf).distinct().count() == 1;
        if (oneBlock && pcs.size() >= certain.size()) {
            pair(certain, pcs.subList(0, certain.size()));
        }
    }

    private void pair(List<Integer> indexes, List<Integer> pcs) {
        for (int i = 0; i < pcs.size(); i++) {
            add(indexes.get(i), pcs.get(i));
        }
    }

    private void add(int index, int pc) {
        matches.get(index).add(pc);
        if (events.get(index).hidden) {
            hidden.add(pc);
        }
    }

    /** Adds the operations of events to blocks. Returns their number. */
    private int count(MethodCensus census) {
        int known = 0;
        for (int i = 0; i < events.size(); i++) {
            Event event = events.get(i);
            List<Integer> at = event.kind == null ? neighbour(i) : matches.get(i);
            for (String operation : event.operations) {
                at.forEach(pc -> census.add(pc, operation));
                known += at.size();
                if (at.isEmpty() && !isCopied(event)) {
                    census.unmatched.add(new MethodCensus.Unmatched(operation, event.firstLine));
                    missing += event.kind == null ? 0 : 1;
                }
            }
        }
        return known;
    }

    /** Returns whether an event is a copy whose original has the instructions of all copies. */
    private boolean isCopied(Event event) {
        if (!event.isCopy) {
            return false;
        }
        for (int i = 0; i < events.size(); i++) {
            Event each = events.get(i);
            if (!each.isCopy
                    && each.firstLine == event.firstLine
                    && String.valueOf(each.kind).equals(String.valueOf(event.kind))
                    && matches.get(i).size() > 1) {
                return true;
            }
        }
        return false;
    }

    /** Returns the instruction of the next matched event of the same region, or else of the one before; empty without any. */
    private List<Integer> neighbour(int index) {
        int region = events.get(index).region;
        for (int i = index + 1; i < events.size() && events.get(i).region == region; i++) {
            if (!matches.get(i).isEmpty()) {
                return matches.get(i).subList(0, 1);
            }
        }
        for (int i = index - 1; i >= 0 && events.get(i).region == region; i--) {
            if (!matches.get(i).isEmpty()) {
                return matches.get(i).subList(0, 1);
            }
        }
        return new ArrayList<>();
    }
}
