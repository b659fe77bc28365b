package org.navitas.census;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;

/** The classes of the input with their supertypes and methods: which calls stay in the input, and which use a library. */
final class Hierarchy {
    private static final class Declared {
        final List<String> above = new ArrayList<>();
        final Set<String> methods = new HashSet<>();
    }

    private final Map<String, Declared> classes = new HashMap<>();

    void add(ClassFile file) {
        Declared declared = new Declared();
        if (file.getSuperclass() != null) {
            declared.above.add(file.getSuperclass());
        }
        declared.above.addAll(Arrays.asList(file.getInterfaces()));
        for (MethodInfo method : file.getMethods()) {
            declared.methods.add(method.getName() + method.getDescriptor());
        }
        classes.put(file.getName(), declared);
    }

    boolean has(String className) {
        return classes.containsKey(className);
    }

    /** Returns the library class that declares or inherits a called method, or null if a class of the input declares it. */
    String libraryOf(String owner, String nameAndDescriptor) {
        String at = owner;
        String outside = null;
        List<String> open = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        open.add(at);
        while (!open.isEmpty()) {
            at = open.remove(0);
            Declared declared = classes.get(at);
            if (declared == null) {
                // Object comes last: of an interface's library, it is the least specific.
                outside = outside == null || outside.equals("java.lang.Object") ? at : outside;
            } else if (declared.methods.contains(nameAndDescriptor)) {
                return null;
            } else {
                for (String above : declared.above) {
                    if (seen.add(above)) {
                        open.add(above);
                    }
                }
            }
        }
        return outside;
    }

    /** Returns a library function's name: the class without its package, and the method; {@code new} for constructors. */
    static String function(String className, String method) {
        String simple = className.substring(className.lastIndexOf('.') + 1).replace('$', '.');
        return simple + '.' + (method.equals("<init>") ? "new" : method);
    }
}
