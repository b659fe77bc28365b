package org.navitas.junit;

import java.util.HashMap;
import java.util.Map;

/**
 * Makes names of tests unique (parameters that print alike, a class that runs twice): the second is {@code method~2}.
 * Not thread-safe.
 *
 * <p>Two instances that get the same tests in the same order return the same names.
 */
public final class UniqueNames {
    private final Map<TestName, Integer> seen = new HashMap<>();

    /**
     * Returns the name of the next test.
     *
     * @param className fully qualified class name
     * @param method method name, or null for a whole class
     * @return a name that this object has not returned before
     */
    public TestName next(String className, String method) {
        TestName name = new TestName(className, method);
        Integer before = seen.get(name);
        seen.put(name, before == null ? 1 : before + 1);
        return before == null || name.isClass() ? name : new TestName(name.className, name.method + "~" + (before + 1));
    }

    /**
     * Returns a method's name without the suffix that makes it unique.
     *
     * @param method such as {@code method~2}
     * @return such as {@code method}
     */
    public static String plain(String method) {
        return method.replaceFirst("~[0-9]+$", "");
    }
}
