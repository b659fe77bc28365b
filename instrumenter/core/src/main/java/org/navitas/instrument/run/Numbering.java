package org.navitas.instrument.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Release;
import org.navitas.instrument.files.Warnings;
import org.navitas.instrument.map.EarlierMap;
import org.navitas.instrument.map.IdTable;
import org.navitas.instrument.map.MethodRef;
import org.navitas.instrument.map.NumberedClass;

/**
 * Lists the classes of a method map by name, and assigns the ids of their methods ({@link IdTable}).
 *
 * <p>A class can exist more than once: in several inputs, or for several Java releases in one jar. Equal methods of these
 * copies share an id, since the JVM decides which one it runs. The map has the copy that comes first on the class path, for any
 * release if there is one. Classes of an earlier map keep the ids of equal methods.
 */
final class Numbering {
    final List<NumberedClass> classes = new ArrayList<>();
    /** The map that this one continues. */
    private final EarlierMap earlier;
    /** The copies of each class. */
    private final List<List<Copy>> copies = new ArrayList<>();

    /** A class of an input. */
    private static final class Copy {
        final Entry entry;
        final Input input;

        Copy(Entry entry, Input input) {
            this.entry = entry;
            this.input = input;
        }
    }

    private Numbering(EarlierMap earlier) {
        this.earlier = earlier;
    }

    /** Returns the classes in the map's order: first those of the earlier map. */
    List<NumberedClass> inMap() {
        List<NumberedClass> all = new ArrayList<>(earlier.classes);
        all.addAll(classes);
        return all;
    }

    /** Returns the number of methods with new ids. */
    int added() {
        return classes.stream().mapToInt(each -> each.methods.size()).sum();
    }

    static Numbering of(List<Contents> all, EarlierMap earlier, Probes probes, Warnings warnings)
            throws InstrumentException {
        Map<String, List<Copy>> byName = new TreeMap<>();
        for (Contents contents : all) {
            List<Entry> entries = new ArrayList<>(contents.entries);
            entries.sort(Comparator.comparingInt(Entry::release));
            for (Entry entry : entries) {
                if (entry.verdict == Selection.Verdict.TAKE && entry.info.untouchedReason() == null) {
                    byName.computeIfAbsent(entry.info.name, k -> new ArrayList<>(1))
                            .add(new Copy(entry, contents.input));
                }
            }
        }
        Numbering numbering = new Numbering(earlier);
        byName.values().forEach(same -> numbering.add(same, warnings));
        // Each thread has a table of block counters by id, so these ids leave no gaps.
        IdTable.number(numbering.classes, earlier.usedIds(), probes == Probes.BLOCKS);
        numbering.assign();
        return numbering;
    }

    /** Adds the copies of one class. */
    private void add(List<Copy> same, Warnings warnings) {
        Entry first = same.get(0).entry;
        Input input = same.get(0).input;
        NumberedClass numbered =
                new NumberedClass(first.info.name, first.sha256, input.source(), input.module(), first.info.file);
        Set<MethodRef> known = new HashSet<>(earlier.idsOf(numbered.name).keySet());
        Entry hiding = null;
        for (Copy each : same) {
            Entry entry = each.entry;
            if (entry.release() == Release.ANY) {
                hiding = hiding == null ? entry : hiding;
                if (!entry.sha256.equals(hiding.sha256)) {
                    warnings.add(
                            "hidden by a class of the same name earlier on the class path",
                            each.input.place(entry.path));
                }
            }
            for (MethodRef method : entry.info.methods) {
                if (known.add(method)) {
                    numbered.methods.add(method);
                }
            }
        }
        classes.add(numbered);
        copies.add(same);
    }

    private void assign() {
        for (int at = 0; at < classes.size(); at++) {
            NumberedClass numbered = classes.get(at);
            for (Copy each : copies.get(at)) {
                // So it is for most classes: there is one copy, and it is not in the earlier map.
                boolean hasAll = each.entry.info.methods.equals(numbered.methods);
                each.entry.ids = hasAll ? numbered.ids : ids(numbered, each.entry.info.methods);
            }
        }
    }

    private int[] ids(NumberedClass numbered, List<MethodRef> methods) {
        Map<MethodRef, Integer> ids = new HashMap<>(earlier.idsOf(numbered.name));
        for (int i = 0; i < numbered.ids.length; i++) {
            ids.put(numbered.methods.get(i), numbered.ids[i]);
        }
        return methods.stream().mapToInt(ids::get).toArray();
    }
}
