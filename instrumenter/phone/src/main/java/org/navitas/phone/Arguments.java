package org.navitas.phone;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The pairs that {@code am instrument -e key value} passes to a runner; unknown keys are ignored, as on Android. */
final class Arguments {
    private final Map<String, String> values = new HashMap<>();

    /** Throws IllegalArgumentException if a key has no value. */
    Arguments(String... pairs) {
        if (pairs.length % 2 != 0) {
            throw new IllegalArgumentException("no value for the argument '" + pairs[pairs.length - 1] + "'");
        }
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i], pairs[i + 1]);
        }
    }

    /**
     * Returns method names by class from {@code a.B} and {@code a.B#method}. No methods means all. Empty if not given.
     */
    Map<String, Set<String>> classes() {
        return byClass("class");
    }

    Map<String, Set<String>> notClasses() {
        return byClass("notClass");
    }

    /** Returns whether a class is in one of the selected packages, if there are any. */
    boolean isInPackages(String className) {
        List<String> packages = list("package");
        for (String one : packages) {
            if (className.startsWith(one + ".")) {
                return true;
            }
        }
        return packages.isEmpty();
    }

    /** Returns whether a class is in one of the excluded packages. */
    boolean isInExcludedPackages(String className) {
        for (String one : list("notPackage")) {
            if (className.startsWith(one + ".")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the value of a key, or null. */
    String value(String key) {
        return values.get(key);
    }

    /** Returns the comma-separated values of a key. */
    List<String> values(String key) {
        return list(key);
    }

    /** Returns a value of zero or more. Throws IllegalArgumentException, which names the key. */
    int count(String key) {
        String text = values.get(key);
        try {
            int count = text == null ? 0 : Integer.parseInt(text);
            if (count >= 0) {
                return count;
            }
        } catch (NumberFormatException e) {
            // same message as for a negative number
        }
        throw new IllegalArgumentException("the argument '" + key + "' needs a number, not " + text);
    }

    /** Returns the class names of listeners. */
    List<String> listeners() {
        return list("listener");
    }

    /** Returns whether to list the tests instead of running them. */
    boolean isListOnly() {
        return Boolean.parseBoolean(values.get("log"));
    }

    private List<String> list(String key) {
        List<String> parts = new ArrayList<>();
        for (String part :
                values.containsKey(key) ? Arrays.asList(values.get(key).split(",")) : new ArrayList<String>()) {
            if (!part.trim().isEmpty()) {
                parts.add(part.trim());
            }
        }
        return parts;
    }

    private Map<String, Set<String>> byClass(String key) {
        Map<String, Set<String>> classes = new LinkedHashMap<>();
        Set<String> wholeClasses = new LinkedHashSet<>();
        for (String encoded : list(key)) {
            String name = encoded.replace("%2C", ",").replace("%25", "%"); // commas separate the list
            int hash = name.indexOf('#');
            String className = hash < 0 ? name : name.substring(0, hash);
            if (!classes.containsKey(className)) {
                classes.put(className, new LinkedHashSet<String>());
            }
            if (hash < 0) {
                wholeClasses.add(className);
            } else {
                classes.get(className).add(name.substring(hash + 1));
            }
        }
        for (String className : wholeClasses) {
            classes.get(className).clear();
        }
        return classes;
    }
}
