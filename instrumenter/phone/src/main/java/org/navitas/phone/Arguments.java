package org.navitas.phone;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The pairs that {@code am instrument -e key value} hands to a runner; unknown keys are ignored, as on Android. */
final class Arguments {
    private final Map<String, String> values = new HashMap<>();

    /** Throws IllegalArgumentException when a key has no value. */
    Arguments(String... pairs) {
        if (pairs.length % 2 != 0) {
            throw new IllegalArgumentException("no value for the argument '" + pairs[pairs.length - 1] + "'");
        }
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i], pairs[i + 1]);
        }
    }

    /** Each of {@code a.B} or {@code a.B#method}; empty when not given. */
    List<String> classes() {
        return list("class");
    }

    List<String> notClasses() {
        return list("notClass");
    }

    List<String> packages() {
        return list("package");
    }

    /** Class names of RunListeners. */
    List<String> listeners() {
        return list("listener");
    }

    /** Tests are to be listed, not run. */
    boolean isListOnly() {
        return Boolean.parseBoolean(values.get("log"));
    }

    private List<String> list(String key) {
        List<String> parts = new ArrayList<>();
        for (String part : values.containsKey(key) ? Arrays.asList(values.get(key).split(",")) : new ArrayList<String>()) {
            if (!part.trim().isEmpty()) {
                parts.add(part.trim());
            }
        }
        return parts;
    }
}
