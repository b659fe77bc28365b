package org.navitas.phone;

import java.util.Collection;
import org.navitas.junit.UniqueNames;

/** Selects methods by name. A name without parameters or index also selects the variants with them. */
final class MethodNames {
    private MethodNames() {}

    /** Returns whether a name selects the test's method. Without names, all methods are selected. */
    static boolean include(Collection<String> names, String method) {
        if (names.isEmpty() || names.contains(method) || names.contains(UniqueNames.plain(method))) {
            return true;
        }
        for (String name : names) {
            String plain = UniqueNames.plain(name);
            if (plain.equals(method) || isOneOf(plain, method)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a method is a variant of a name: {@code adds[1]} and {@code adds(int)[1]} are variants of {@code
     * adds}.
     */
    private static boolean isOneOf(String name, String method) {
        return method.startsWith(name)
                && (method.startsWith("[", name.length()) || method.startsWith("(", name.length()));
    }
}
