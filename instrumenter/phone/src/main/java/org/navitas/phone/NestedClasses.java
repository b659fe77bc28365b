package org.navitas.phone;

import java.lang.reflect.Modifier;
import java.util.regex.Pattern;

/** What kind of nested class a class is, by Gradle's rules. Needs no test framework. */
final class NestedClasses {
    private static final Pattern ANONYMOUS = Pattern.compile(".*\\$\\d+");

    private NestedClasses() {}

    /** By its name alone, as in Gradle's DefaultTestClassScanner. */
    static boolean isAnonymous(Class<?> one) {
        return ANONYMOUS.matcher(one.getName()).matches();
    }

    /** Whether it needs an instance of the class around it; local classes count too. */
    static boolean isInner(Class<?> one) {
        return one.getEnclosingClass() != null && !Modifier.isStatic(one.getModifiers());
    }
}
