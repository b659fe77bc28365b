package org.navitas.census;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.navitas.instrument.code.BasicBlocks.Block;
import org.navitas.instrument.edits.EditableBlocks;

/** Writes a census as JSON (docs/dev/formats.md, "Operation census"). Equal censuses give equal bytes. */
final class CensusJson {
    private static final int VERSION = 1;
    private final StringBuilder json = new StringBuilder(1 << 16);
    private final SortedMap<String, Integer> indexes = new TreeMap<>();

    private CensusJson() {}

    static String of(List<ClassCensus> classes, List<String> notes) {
        return new CensusJson().write(classes, notes);
    }

    private String write(List<ClassCensus> classes, List<String> notes) {
        TreeSet<String> names = new TreeSet<>();
        names.add(OperationTable.GC);
        for (ClassCensus each : classes) {
            for (MethodCensus method : each.methods) {
                method.counts.forEach(counts -> names.addAll(counts.keySet()));
                method.unmatched.forEach(one -> names.add(one.operation));
            }
        }
        json.append("{\"format\": \"navitas-census\", \"version\": ")
                .append(VERSION)
                .append(",\n\"operations\": [");
        String separator = "\n";
        for (String name : names) {
            indexes.put(name, indexes.size());
            field(json.append(separator).append('{'), "name", name);
            field(json.append(", "), "class", OperationTable.classOf(name));
            json.append('}');
            separator = ",\n";
        }
        json.append("\n],\n\"classes\": [");
        separator = "\n";
        for (ClassCensus each : classes) {
            json.append(separator);
            write(each);
            separator = ",\n";
        }
        json.append("\n],\n\"notes\": [");
        separator = "\n";
        for (String note : notes) {
            text(json.append(separator), note);
            separator = ",\n";
        }
        return json.append("\n]}\n").toString();
    }

    private void write(ClassCensus each) {
        field(json.append('{'), "name", each.name);
        field(json.append(", "), "file", each.file);
        field(json.append(", "), "sha256", each.sha256);
        json.append(", \"methods\": [");
        String separator = "\n ";
        for (MethodCensus method : each.methods) {
            json.append(separator);
            write(method);
            separator = ",\n ";
        }
        json.append("]}");
    }

    private void write(MethodCensus method) {
        field(json.append('{'), "name", method.name);
        field(json.append(", "), "descriptor", method.descriptor);
        field(json.append(", "), "by", method.by);
        field(json.append(", "), "note", method.note);
        json.append(", \"counters\": ").append(method.counters.counters());
        json.append(", \"blocks\": [");
        for (int i = 0; i < method.counts.size(); i++) {
            Block block = method.blocks.blocks().get(i);
            BlockPlace place = method.places.get(i);
            json.append(i == 0 ? "\n  " : ",\n  ");
            json.append("{\"pc\": [")
                    .append(block.firstPc)
                    .append(", ")
                    .append(block.lastPc)
                    .append("], \"lines\": ");
            json.append(place.firstLine == 0 ? "null" : "[" + place.firstLine + ", " + place.lastLine + "]");
            inlined(place);
            json.append(", \"next\": ")
                    .append(block.successors)
                    .append(", \"handlers\": ")
                    .append(block.handlers);
            json.append(", \"plus\": ")
                    .append(method.counters.plus(i))
                    .append(", \"minus\": ")
                    .append(method.counters.minus(i));
            counts("operations", method.counts.get(i));
            EditableBlocks.Range range = method.editable.range(i);
            json.append(", \"editable\": ")
                    .append(range == null ? "null" : "[" + range.firstPc + ", " + range.lastPc + "]");
            counts("edit_operations", method.editCounts.get(i));
            json.append('}');
        }
        json.append("], \"unmatched\": [");
        String separator = "";
        for (MethodCensus.Unmatched each : method.unmatched) {
            json.append(separator)
                    .append('[')
                    .append(indexes.get(each.operation))
                    .append(", ")
                    .append(each.line)
                    .append(']');
            separator = ", ";
        }
        json.append("]}");
    }

    private void inlined(BlockPlace place) {
        String separator = ", \"inlined\": [";
        for (BlockPlace.Inlined each : place.inlined) {
            field(json.append(separator).append('{'), "file", each.file);
            json.append(", \"lines\": [")
                    .append(each.firstLine)
                    .append(", ")
                    .append(each.lastLine)
                    .append("]}");
            separator = ", ";
        }
        json.append(place.inlined.isEmpty() ? "" : "]");
    }

    private void counts(String name, Map<String, Integer> counts) {
        json.append(", \"").append(name).append("\": [");
        String separator = "";
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
            json.append(separator)
                    .append('[')
                    .append(indexes.get(count.getKey()))
                    .append(", ")
                    .append(count.getValue())
                    .append(']');
            separator = ", ";
        }
        json.append(']');
    }

    private static void field(StringBuilder json, String name, String value) {
        text(json.append('"').append(name).append("\": "), value);
    }

    private static void text(StringBuilder json, String value) {
        if (value == null) {
            json.append("null");
            return;
        }
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c >= ' ' && c <= '~') {
                json.append(c);
            } else {
                boolean unpaired = Character.isSurrogate(c) && !isPaired(value, i);
                json.append("\\u").append(Integer.toHexString(0x10000 | (unpaired ? '\uFFFD' : c)), 1, 5);
            }
        }
        json.append('"');
    }

    private static boolean isPaired(String value, int at) {
        boolean high = Character.isHighSurrogate(value.charAt(at));
        int other = high ? at + 1 : at - 1;
        return other >= 0
                && other < value.length()
                && (high
                        ? Character.isLowSurrogate(value.charAt(other))
                        : Character.isHighSurrogate(value.charAt(other)));
    }
}
