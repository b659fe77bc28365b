package org.navitas.instrument.map;

import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Skipped;

/** Reads the text of a method map (docs/dev/formats.md, "Method map"). Unknown fields are ignored. */
public final class MapReader {
    private static final int SCHEMA_VERSION = 1;
    private static final Pattern MAP_ID = Pattern.compile("[0-9a-f]{16}");

    /** What comes before the entries. */
    public static final class Head {
        /** Null if the text is not a map of this version. */
        public String mapId;

        Probes probes = Probes.METHODS;
        private boolean hasVersion;

        /** Reads a field; returns false, and reads nothing, for one that is not in the head. */
        private boolean read(String key, JsonReader reader) throws JsonParserException {
            switch (key) {
                case "schema_version":
                    int version = MapEntry.wholeNumber(key, MapEntry.value(reader));
                    if (version != SCHEMA_VERSION) {
                        throw new IllegalArgumentException("schema_version " + version);
                    }
                    hasVersion = true;
                    return true;
                case "map_id":
                    String id = reader.string();
                    if (id == null || !MAP_ID.matcher(id).matches()) {
                        throw new IllegalArgumentException("map_id " + id);
                    }
                    mapId = id;
                    return true;
                case "probes":
                    probes = Probes.of(reader.string());
                    return true;
                default:
                    return false;
            }
        }

        private void check() {
            if (!hasVersion || mapId == null) {
                throw new IllegalArgumentException("it has no " + (hasVersion ? "map_id" : "schema_version"));
            }
        }
    }

    /** A method, or a whole class, without probes. */
    public static final class SkippedEntry {
        final String className;
        final Skipped skipped;

        public SkippedEntry(String className, Skipped skipped) {
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
    public static Head headOf(byte[] json) {
        Head head = new Head();
        try {
            JsonReader reader = reader(json);
            reader.object();
            // The head ends where the entries begin, so that they are not read.
            for (boolean isHead = true; isHead && reader.next(); ) {
                isHead = head.read(reader.key(), reader);
            }
            head.check();
            return head;
        } catch (JsonParserException | IllegalArgumentException e) {
            return new Head();
        }
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
                MapEntry.each(reader, map::addClass);
            } else if (key.equals("methods")) {
                MapEntry.each(reader, map::addMethod);
            } else if (key.equals("skipped")) {
                MapEntry.each(reader, map::addSkipped);
            } else if (!map.head.read(key, reader)) {
                MapEntry.value(reader);
            }
        }
        map.head.check();
        map.ids.forEach((numbered, list) ->
                numbered.ids = list.stream().mapToInt(Integer::intValue).toArray());
        return map;
    }

    private static JsonReader reader(byte[] json) throws JsonParserException {
        return JsonReader.from(new String(json, StandardCharsets.UTF_8));
    }

    private void addClass(MapEntry entry) {
        NumberedClass numbered = new NumberedClass(
                entry.text("name"),
                entry.text("sha256"),
                entry.text("source"),
                entry.text("module"),
                entry.textOrNull("file"));
        classes.add(numbered);
        byName.put(numbered.name, numbered);
    }

    private void addMethod(MapEntry entry) {
        NumberedClass owner = byName.get(entry.text("class"));
        int id = entry.number("id");
        if (owner == null || id < 0 || id >= IdTable.MAX_METHODS || used.get(id)) {
            throw new IllegalArgumentException("a method with the id " + id + " of the class " + entry.text("class"));
        }
        owner.methods.add(new MethodRef(entry.text("name"), entry.text("descriptor"), entry.numberOrZero("line")));
        ids.computeIfAbsent(owner, k -> new ArrayList<>()).add(id);
        used.set(id);
    }

    private void addSkipped(MapEntry entry) {
        skipped.add(
                new SkippedEntry(entry.text("class"), new Skipped(entry.textOrNull("method"), entry.text("reason"))));
    }
}
