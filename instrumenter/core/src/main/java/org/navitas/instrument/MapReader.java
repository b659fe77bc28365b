package org.navitas.instrument;

import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the text of a method map (docs/dev/formats.md, "Method map"). Unknown fields are ignored. */
final class MapReader {
  private static final int SCHEMA_VERSION = 1;
  private static final int HEX_DIGITS = 16;

  /** What comes before the entries. */
  static final class Head {
    /** Null if the text is not a map of this version. */
    String mapId;
    Probes probes = Probes.METHODS;
  }

  /** A method, or a whole class, without probes. */
  static final class SkippedEntry {
    final String className;
    final Skipped skipped;

    SkippedEntry(String className, Skipped skipped) {
      this.className = className;
      this.skipped = skipped;
    }
  }

  final Head head = new Head();
  final List<NumberedClass> classes = new ArrayList<>();
  final List<SkippedEntry> skipped = new ArrayList<>();
  private final Map<String, NumberedClass> byName = new HashMap<>();
  private final Map<NumberedClass, List<Integer>> ids = new HashMap<>();
  private final BitSet used = new BitSet();

  private MapReader() {}

  /** Returns a map without entries. */
  static MapReader empty() {
    return new MapReader();
  }

  /** Returns the head of a map that {@link MethodMap} wrote. The text can be anything. */
  static Head headOf(byte[] json) {
    Head head = new Head();
    try {
      JsonReader reader = reader(json);
      reader.object();
      // The head ends where the entries begin, so that they are not read.
      for (boolean isHead = true; isHead && reader.next(); ) {
        isHead = readHead(head, reader.key(), reader);
      }
    } catch (JsonParserException | IllegalArgumentException e) {
      return new Head();
    }
    return head;
  }

  /**
   * Reads a whole map.
   *
   * @throws IllegalArgumentException if it is not one of this version, or its ids are not those of different methods
   */
  static MapReader read(byte[] json) throws JsonParserException {
    MapReader map = new MapReader();
    JsonReader reader = reader(json);
    reader.object();
    while (reader.next()) {
      String key = reader.key();
      if (key.equals("classes")) {
        map.each(reader, map::addClass);
      } else if (key.equals("methods")) {
        map.each(reader, map::addMethod);
      } else if (key.equals("skipped")) {
        map.each(reader, map::addSkipped);
      } else if (!readHead(map.head, key, reader)) {
        value(reader);
      }
    }
    if (map.head.mapId == null) {
      throw new IllegalArgumentException("it has no map_id");
    }
    map.ids.forEach((numbered, list) -> numbered.ids = list.stream().mapToInt(Integer::intValue).toArray());
    return map;
  }

  private static JsonReader reader(byte[] json) throws JsonParserException {
    return JsonReader.from(new String(json, StandardCharsets.UTF_8));
  }

  /** Reads a field of the head; returns false, and reads nothing, for another field. */
  private static boolean readHead(Head head, String key, JsonReader reader) throws JsonParserException {
    switch (key) {
      case "schema_version":
        int version = reader.intVal();
        if (version != SCHEMA_VERSION) {
          throw new IllegalArgumentException("schema_version " + version);
        }
        return true;
      case "map_id":
        String id = reader.string();
        if (id == null || id.length() != HEX_DIGITS || !id.matches("[0-9a-f]*")) {
          throw new IllegalArgumentException("map_id " + id);
        }
        head.mapId = id;
        return true;
      case "probes":
        head.probes = Probes.of(reader.string());
        return true;
      default:
        return false;
    }
  }

  /** Takes an entry's fields by name. */
  private interface Adder {
    void add(Map<String, Object> fields);
  }

  private void each(JsonReader reader, Adder adder) throws JsonParserException {
    reader.array();
    Map<String, Object> fields = new HashMap<>();
    while (reader.next()) {
      fields.clear();
      reader.object();
      while (reader.next()) {
        fields.put(reader.key(), value(reader));
      }
      adder.add(fields);
    }
  }

  /** Reads a value of any kind; returns null for objects and arrays, which only newer maps can contain. */
  private static Object value(JsonReader reader) throws JsonParserException {
    switch (reader.current()) {
      case OBJECT:
        reader.object();
        while (reader.next()) {
          value(reader);
        }
        return null;
      case ARRAY:
        reader.array();
        while (reader.next()) {
          value(reader);
        }
        return null;
      default:
        return reader.value();
    }
  }

  private void addClass(Map<String, Object> fields) {
    NumberedClass numbered = new NumberedClass(
        text(fields, "name"), text(fields, "sha256"), text(fields, "source"), text(fields, "module"), optional(fields, "file"));
    classes.add(numbered);
    byName.put(numbered.name, numbered);
  }

  private void addMethod(Map<String, Object> fields) {
    NumberedClass owner = byName.get(text(fields, "class"));
    int id = number(fields, "id", -1);
    if (owner == null || id < 0 || id >= IdTable.MAX_METHODS || used.get(id)) {
      throw new IllegalArgumentException("a method with the id " + fields.get("id") + " of the class " + fields.get("class"));
    }
    owner.methods.add(new MethodRef(text(fields, "name"), text(fields, "descriptor"), number(fields, "line", 0)));
    ids.computeIfAbsent(owner, k -> new ArrayList<>()).add(id);
    used.set(id);
  }

  private void addSkipped(Map<String, Object> fields) {
    skipped.add(new SkippedEntry(text(fields, "class"), new Skipped(optional(fields, "method"), text(fields, "reason"))));
  }

  private static int number(Map<String, Object> fields, String name, int otherwise) {
    Object value = fields.get(name);
    if (value == null) {
      return otherwise;
    }
    if (!(value instanceof Number) || ((Number) value).doubleValue() != ((Number) value).intValue()) {
      throw new IllegalArgumentException("an entry with the " + name + " " + value);
    }
    return ((Number) value).intValue();
  }

  private static String text(Map<String, Object> fields, String name) {
    String value = optional(fields, name);
    if (value == null) {
      throw new IllegalArgumentException("an entry without " + name);
    }
    return value;
  }

  private static String optional(Map<String, Object> fields, String name) {
    Object value = fields.get(name);
    if (value != null && !(value instanceof String)) {
      throw new IllegalArgumentException("an entry with the " + name + " " + value);
    }
    return (String) value;
  }
}
