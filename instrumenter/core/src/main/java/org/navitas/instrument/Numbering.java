package org.navitas.instrument;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lists the classes of a method map by name, and assigns the ids of their methods ({@link IdTable}).
 *
 * <p>A class can exist more than once: in several inputs, or for several Java versions in one jar. Equal methods of
 * these copies share an id, and the first copy is the one in the map. Classes of an earlier map keep the ids of equal
 * methods.
 */
final class Numbering {
  final List<NumberedClass> classes = new ArrayList<>();
  /** The map that this one continues. */
  final EarlierMap earlier;
  private final List<Map<Entry, Input>> copies = new ArrayList<>();

  private Numbering(EarlierMap earlier) {
    this.earlier = earlier;
  }

  /** Returns the number of methods with new ids. */
  int added() {
    return classes.stream().mapToInt(each -> each.methods.size()).sum();
  }

  static Numbering of(List<Contents> all, EarlierMap earlier, Probes probes, Warnings warnings) throws InstrumentException {
    Map<String, Map<Entry, Input>> byName = new TreeMap<>();
    for (Contents contents : all) {
      for (Entry entry : contents.entries) {
        if (entry.verdict == Selection.Verdict.TAKE && entry.info.untouchedReason() == null) {
          byName.computeIfAbsent(entry.info.name, k -> new LinkedHashMap<>()).put(entry, contents.input);
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
  private void add(Map<Entry, Input> same, Warnings warnings) {
    Entry first = same.keySet().iterator().next();
    Input input = same.get(first);
    NumberedClass numbered = new NumberedClass(first.info.name, first.sha256, input.source(), input.module(), first.info.file);
    Map<String, Integer> known = new LinkedHashMap<>(earlier.idsOf(numbered.name));
    for (Map.Entry<Entry, Input> each : same.entrySet()) {
      Entry entry = each.getKey();
      if (!entry.sha256.equals(first.sha256) && !entry.path.contains("META-INF/versions/")) {
        warnings.add("hidden by a class of the same name earlier on the class path", Inventory.place(each.getValue(), entry.path));
      }
      for (MethodRef method : entry.info.methods) {
        if (known.put(method.name + method.descriptor, 0) == null) {
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
      Map<String, Integer> ids = new LinkedHashMap<>(earlier.idsOf(numbered.name));
      for (int i = 0; i < numbered.ids.length; i++) {
        ids.put(numbered.methods.get(i).name + numbered.methods.get(i).descriptor, numbered.ids[i]);
      }
      for (Entry entry : copies.get(at).keySet()) {
        entry.ids = entry.info.methods.stream().mapToInt(method -> ids.get(method.name + method.descriptor)).toArray();
      }
    }
  }
}
