package org.navitas.census;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.InlinedLines;

/** Where the source of a basic block is. */
final class BlockPlace {
    /** Code that the compiler inlined into the block. */
    static final class Inlined {
        final String file;
        int firstLine;
        int lastLine;

        private Inlined(String file, int line) {
            this.file = file;
            firstLine = line;
            lastLine = line;
        }
    }

    /** Smallest line in the class's source file, or 0 without line numbers. For inlined code, the line of its call counts. */
    int firstLine;
    /** Largest line, or 0 without line numbers. */
    int lastLine;
    /** In code order. */
    final List<Inlined> inlined = new ArrayList<>();

    private BlockPlace() {}

    /** Returns the places of a method's blocks. */
    static List<BlockPlace> of(BasicBlocks blocks, InlinedLines lines) {
        List<BlockPlace> places = new ArrayList<>();
        List<Map<InlinedLines.Range, Inlined>> ranges = new ArrayList<>();
        blocks.blocks().forEach(block -> {
            places.add(new BlockPlace());
            ranges.add(new LinkedHashMap<>());
        });
        for (int pc : blocks.instructions()) {
            int block = blocks.blockOf(pc);
            int number = blocks.lineOf(pc);
            places.get(block).add(lines.ownLine(number));
            InlinedLines.Range range = lines.at(number);
            if (range != null) {
                int line = range.lineOf(number);
                Inlined code = ranges.get(block).computeIfAbsent(range, key -> new Inlined(key.file, line));
                code.firstLine = Math.min(code.firstLine, line);
                code.lastLine = Math.max(code.lastLine, line);
            }
        }
        for (int i = 0; i < places.size(); i++) {
            places.get(i).inlined.addAll(ranges.get(i).values());
        }
        return places;
    }

    private void add(int line) {
        if (line > 0) {
            firstLine = firstLine == 0 ? line : Math.min(firstLine, line);
            lastLine = Math.max(lastLine, line);
        }
    }
}
