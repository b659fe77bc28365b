package org.navitas.instrument.map;

import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonReader;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** An entry of a list in a JSON document: an object with texts and whole numbers. Fields of other kinds are only passed. */
public final class MapEntry {
    private final Map<String, Object> fields = new HashMap<>();

    private MapEntry() {}

    /** Reads a list, and passes on each entry; it is valid until the next one. */
    public static void each(JsonReader reader, Consumer<MapEntry> taker) throws JsonParserException {
        reader.array();
        MapEntry entry = new MapEntry();
        while (reader.next()) {
            entry.fields.clear();
            reader.object();
            while (reader.next()) {
                entry.fields.put(reader.key(), value(reader));
            }
            taker.accept(entry);
        }
    }

    /** Reads a value of any kind; returns null for objects and arrays, which only newer documents can contain. */
    static Object value(JsonReader reader) throws JsonParserException {
        int depth = 0; // without recursion, since a damaged document can be of any depth
        Object value = null;
        do {
            switch (reader.current()) {
                case OBJECT:
                    reader.object();
                    depth++;
                    break;
                case ARRAY:
                    reader.array();
                    depth++;
                    break;
                default:
                    value = reader.value();
                    if (depth == 0) {
                        return value;
                    }
            }
            while (depth > 0 && !reader.next()) {
                depth--;
            }
        } while (depth > 0);
        return null;
    }

    /**
     * Returns a value as a whole number.
     *
     * @throws IllegalArgumentException if it is none, or not one of 32 bits
     */
    static int wholeNumber(String name, Object value) {
        if (value instanceof Number) {
            try {
                return Integer.parseInt(value.toString()); // intValue() would round
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("the " + name + " " + value, e);
            }
        }
        throw new IllegalArgumentException(value == null ? "no " + name : "the " + name + " " + value);
    }

    /** Returns a whole number; it must be there. */
    public int number(String name) {
        return wholeNumber(name, fields.get(name));
    }

    /** Returns a whole number, or 0 if the field is missing or null. */
    int numberOrZero(String name) {
        return fields.get(name) == null ? 0 : number(name);
    }

    /** Returns a text; it must be there. */
    public String text(String name) {
        String value = textOrNull(name);
        if (value == null) {
            throw new IllegalArgumentException("an entry without " + name);
        }
        return value;
    }

    String textOrNull(String name) {
        Object value = fields.get(name);
        if (value != null && !(value instanceof String)) {
            throw new IllegalArgumentException("an entry with the " + name + " " + value);
        }
        return (String) value;
    }
}
