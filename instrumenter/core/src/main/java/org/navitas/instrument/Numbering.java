package org.navitas.instrument;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Assigns the method ids: 0 … n−1, by class name, then in the order of the class file.
 *
 * <p>A class can exist more than once: in several inputs, or for several Java versions in one jar. Equal methods of
 * these copies share an id, and the first copy is the one in the map. Ids continue after those of an earlier map, whose
 * classes keep the ids of equal methods.
 */
final class Numbering {
  /** Event records have 22 bits for the id; the last 256 belong to API calls and to the runtime. */
  static final int MAX_METHODS = (1 << 22) - 256;

  /** One class of the map. */
  static final class NumberedClass {
    final Entry first;
    final Input input;
    final int firstId;
    final List<MethodRef> methods = new ArrayList<>();

    NumberedClass(Entry first, Input input, int firstId) {
      this.first = first;
      this.input = input;
      this.firstId = firstId;
    }
  }

  final List<NumberedClass> classes = new ArrayList<>();
  /** The map that this one continues. */
  final EarlierMap earlier;
  int methods;

  private Numbering(EarlierMap earlier) {
    this.earlier = earlier;
    this.methods = earlier.methods();
  }

  /** Returns the number of methods with new ids. */
  int added() {
    return methods - earlier.methods();
  }

  static Numbering of(List<Contents> all, EarlierMap earlier, Warnings warnings) throws InstrumentException {
    Map<String, Map<Entry, Input>> byName = new TreeMap<>();
    for (Contents contents : all) {
      for (Entry entry : contents.entries) {
        if (entry.verdict == Selection.Verdict.TAKE && entry.info.untouchedReason() == null) {
          byName.computeIfAbsent(entry.info.name, k -> new LinkedHashMap<>()).put(entry, contents.input);
        }
      }
    }
    Numbering numbering = new Numbering(earlier);
    byName.values().forEach(same -> numbering.number(same, warnings));
    if (numbering.methods > MAX_METHODS) {
      throw new InstrumentException(numbering.methods + " methods, but a map can contain at most " + MAX_METHODS
          + ": exclude some with exclude patterns");
    }
    return numbering;
  }

  private void number(Map<Entry, Input> same, Warnings warnings) {
    Map<String, Integer> ids = new LinkedHashMap<>(earlier.idsOf(same.keySet().iterator().next().info.name));
    NumberedClass numbered = null;
    for (Map.Entry<Entry, Input> each : same.entrySet()) {
      Entry entry = each.getKey();
      if (numbered == null) {
        numbered = new NumberedClass(entry, each.getValue(), methods);
        classes.add(numbered);
      } else if (!entry.sha256.equals(numbered.first.sha256) && !entry.path.contains("META-INF/versions/")) {
        warnings.add("hidden by a class of the same name earlier on the class path", Inventory.place(each.getValue(), entry.path));
      }
      entry.ids = new int[entry.info.methods.size()];
      for (int i = 0; i < entry.ids.length; i++) {
        MethodRef method = entry.info.methods.get(i);
        Integer id = ids.get(method.name + method.descriptor);
        if (id == null) {
          id = methods++;
          ids.put(method.name + method.descriptor, id);
          numbered.methods.add(method);
        }
        entry.ids[i] = id;
      }
    }
  }
}
