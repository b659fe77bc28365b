package org.navitas.gradle;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.lang.model.SourceVersion;

/** The package name under which a module's bundle is installed. */
final class PackageName {
    private PackageName() {}

    /**
     * Converts {@code group.name} to a valid Java package name of at least two parts. Invalid characters become {@code
     * _}, which is also added before an initial digit and after a keyword. A module without a group is in {@code local}.
     */
    static String of(String group, String name) {
        StringBuilder result = new StringBuilder();
        for (String part : ((group.isEmpty() ? "local" : group) + "." + name).split("\\.", -1)) {
            result.append(result.length() == 0 ? "" : ".").append(valid(part));
        }
        return result.toString();
    }

    /**
     * Returns a name for each project of a build, so that no two packages are equal, whatever their groups. This is the
     * project's name if it is unique. Otherwise it is the path with {@code _} as the separator, followed by a number if
     * that is also taken.
     *
     * @param names names of projects by their paths
     */
    static Map<String, String> distinct(SortedMap<String, String> names) {
        Map<String, Integer> uses = new TreeMap<>();
        names.values().forEach(name -> uses.merge(key(name), 1, Integer::sum));
        Map<String, String> distinct = new TreeMap<>();
        Set<String> taken = new HashSet<>();
        names.forEach((path, name) -> {
            if (uses.get(key(name)) == 1) {
                distinct.put(path, name);
                taken.add(key(name));
            }
        });
        for (String path : names.keySet()) {
            String pathName =
                    path.equals(":") ? names.get(path) : path.substring(1).replaceAll("[:.]", "_");
            for (int number = 1; !distinct.containsKey(path); number++) {
                String name = number == 1 ? pathName : pathName + "_" + number;
                if (taken.add(key(name))) {
                    distinct.put(path, name);
                }
            }
        }
        return distinct;
    }

    /** Returns a key for comparing last parts of package names, also for file systems that ignore case. */
    private static String key(String name) {
        return valid(name.substring(name.lastIndexOf('.') + 1)).toLowerCase(Locale.ROOT);
    }

    private static String valid(String part) {
        String valid = part.replaceAll("[^A-Za-z0-9_]", "_");
        if (valid.isEmpty() || Character.isDigit(valid.charAt(0))) {
            valid = "_" + valid;
        }
        // `_` is a keyword since Java 9. The check uses the running Java's rules and the lower-case form.
        return valid.equals("_") || SourceVersion.isKeyword(valid.toLowerCase(Locale.ROOT)) ? valid + "_" : valid;
    }
}
