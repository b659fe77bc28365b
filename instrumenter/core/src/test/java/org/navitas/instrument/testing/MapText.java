package org.navitas.instrument.testing;

import static org.junit.Assert.assertNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the fields of a method map that the tests need. Members of nested classes are named {@code Nested.member}. */
public final class MapText {
    private static final Pattern METHOD = Pattern.compile(
            "\\{\"id\": (\\d+), \"class\": \"([^\"]+)\", \"name\": \"([^\"]+)\", \"descriptor\": \"([^\"]+)\","
                    + " \"line\": (\\w+)\\}");
    private static final Pattern SKIPPED = Pattern.compile(
            "\\{\"class\": \"([^\"]+)\", \"method\": (?:\"([^\"(]+)[^\"]*\"|null), \"reason\": \"(\\w+)\"\\}");
    private static final Pattern CLASS = Pattern.compile("\\{\"name\": \"([^\"]+)\", \"sha256\": \"[0-9a-f]{64}\"");

    public final String text;
    /** By id, in the map's order. */
    private final Map<Integer, String> methods = new LinkedHashMap<>();

    private MapText(String text) {
        this.text = text;
        for (Matcher matcher = METHOD.matcher(text); matcher.find(); ) {
            String before = methods.put(Integer.valueOf(matcher.group(1)), member(matcher.group(2), matcher.group(3)));
            assertNull("a second method with the id " + matcher.group(1), before);
        }
    }

    public static MapText of(Path file) throws IOException {
        return new MapText(new String(Files.readAllBytes(file), StandardCharsets.US_ASCII));
    }

    public String method(int id) {
        return methods.get(id);
    }

    public List<String> methods() {
        return new ArrayList<>(methods.values());
    }

    /** Returns the ids in the map's order. */
    public List<Integer> ids() {
        return new ArrayList<>(methods.keySet());
    }

    public List<String> classes() {
        List<String> found = new ArrayList<>();
        for (Matcher matcher = CLASS.matcher(text); matcher.find(); ) {
            found.add(matcher.group(1));
        }
        return found;
    }

    /** Returns {@code method reason}, or {@code class reason} for a whole class. */
    public List<String> skipped() {
        List<String> found = new ArrayList<>();
        for (Matcher matcher = SKIPPED.matcher(text); matcher.find(); ) {
            String what = matcher.group(2) == null ? matcher.group(1) : member(matcher.group(1), matcher.group(2));
            found.add(what + " " + matcher.group(3));
        }
        return found;
    }

    private static String member(String className, String name) {
        int nested = className.indexOf('$');
        return nested < 0 ? name : className.substring(nested + 1) + "." + name;
    }
}
