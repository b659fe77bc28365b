package org.navitas.phone;

import java.util.Collection;
import org.navitas.junit.UniqueNames;

/** Which methods a selection names: a name means itself, and without parameters or index all that has them. */
final class MethodNames {
    private MethodNames() {}

    /** Whether one of the names means the test's method; without names all are meant. */
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

    /** {@code adds[1]} and {@code adds(int)[1]} are some of {@code adds}. */
    private static boolean isOneOf(String name, String method) {
        return method.startsWith(name) && (method.startsWith("[", name.length()) || method.startsWith("(", name.length()));
    }
}
