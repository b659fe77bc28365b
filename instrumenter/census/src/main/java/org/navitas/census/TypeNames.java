package org.navitas.census;

import java.util.ArrayList;
import java.util.List;

/** Names of types in operations: primitive types, {@code Object}, and arrays of them. */
final class TypeNames {
    private TypeNames() {}

    /** Returns the name for a field descriptor, such as {@code char[]} for {@code [C}. */
    static String of(String descriptor) {
        switch (descriptor.charAt(0)) {
            case 'Z':
                return "boolean";
            case 'B':
                return "byte";
            case 'C':
                return "char";
            case 'S':
                return "short";
            case 'I':
                return "int";
            case 'J':
                return "long";
            case 'F':
                return "float";
            case 'D':
                return "double";
            case 'V':
                return "void";
            case '[':
                return of(descriptor.substring(1)) + "[]";
            default:
                return "Object";
        }
    }

    /** Returns the field descriptors of a method descriptor's parameters. */
    static List<String> parameters(String descriptor) {
        List<String> found = new ArrayList<>();
        int at = 1;
        while (descriptor.charAt(at) != ')') {
            int start = at;
            while (descriptor.charAt(at) == '[') {
                at++;
            }
            at = descriptor.charAt(at) == 'L' ? descriptor.indexOf(';', at) + 1 : at + 1;
            found.add(descriptor.substring(start, at));
        }
        return found;
    }

    static String returned(String descriptor) {
        return descriptor.substring(descriptor.indexOf(')') + 1);
    }
}
