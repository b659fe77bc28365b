package org.navitas.junit;

import java.util.HashMap;
import java.util.Map;

/**
 * Tells tests of one name apart (parameters that print alike, a class that is run twice): the second is {@code method~2}.
 * Listeners that hear of the same tests in the same order give them the same names.
 */
public final class UniqueNames {
    private final Map<TestName, Integer> seen = new HashMap<>();

    /** The name of one more test. */
    public TestName next(String className, String method) {
        TestName name = new TestName(className, method);
        Integer before = seen.get(name);
        seen.put(name, before == null ? 1 : before + 1);
        return before == null || name.isClass() ? name : new TestName(name.className, name.method + "~" + (before + 1));
    }

    /** A method's name without what tells it apart from others of its name. */
    public static String plain(String method) {
        return method.replaceFirst("~[0-9]+$", "");
    }
}
