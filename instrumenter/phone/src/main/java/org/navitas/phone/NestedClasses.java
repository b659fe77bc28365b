package org.navitas.phone;

import java.lang.reflect.Modifier;
import java.util.regex.Pattern;

/** Determines the kind of a nested class by Gradle's rules. Needs no test framework. */
final class NestedClasses {
    private static final Pattern ANONYMOUS = Pattern.compile(".*\\$\\d+");

    private NestedClasses() {}

    /** Decides by the name only, as Gradle's DefaultTestClassScanner. */
    static boolean isAnonymous(Class<?> one) {
        return ANONYMOUS.matcher(one.getName()).matches();
    }

    /** Returns whether an instance needs an enclosing instance; local classes count too. */
    static boolean isInner(Class<?> one) {
        return one.getEnclosingClass() != null && !Modifier.isStatic(one.getModifiers());
    }
}
