package org.navitas.instrument.code;

import javassist.bytecode.ConstPool;
import javassist.bytecode.StackMapTable;

/**
 * Verification types (JVMS 4.10.1.2) as texts, one for each local variable or word of the stack. The second word of a
 * long or double is {@link #SECOND}. An object type is {@code a} and the name or descriptor in a constant.
 */
public final class VerifierTypes {
    static final String TOP = "";
    static final String INT = "I";
    static final String FLOAT = "F";
    static final String LONG = "J";
    static final String DOUBLE = "D";
    static final String SECOND = "2";
    public static final String NULL = "N";
    /** {@code this} before the constructor calls another one. */
    static final String UNINITIALISED_THIS = "T";
    /** Starts the type of an object that {@code new} made; the rest is the instruction's offset. */
    static final String UNINITIALISED = "U";
    /** A reference of which only this is known. It equals no type, not even itself. */
    public static final String SOME_OBJECT = "?";

    private static final String OBJECT = "a";
    private static final String ROOT = "ajava/lang/Object";

    private VerifierTypes() {}

    /** Returns the type of an object, from a class constant's name. */
    static String object(String nameOrDescriptor) {
        return OBJECT + nameOrDescriptor.replace('.', '/');
    }

    /** Returns the type of a value with a field descriptor. */
    static String ofDescriptor(String descriptor) {
        switch (descriptor.charAt(0)) {
            case 'J':
                return LONG;
            case 'F':
                return FLOAT;
            case 'D':
                return DOUBLE;
            case 'L':
                return object(descriptor.substring(1, descriptor.length() - 1));
            case '[':
                return object(descriptor);
            default:
                return INT;
        }
    }

    /** Returns the type of an entry of a stack map frame. */
    static String ofFrame(int tag, int data, ConstPool pool, String thisClass) throws MalformedClassException {
        switch (tag) {
            case StackMapTable.TOP:
                return TOP;
            case StackMapTable.INTEGER:
                return INT;
            case StackMapTable.FLOAT:
                return FLOAT;
            case StackMapTable.DOUBLE:
                return DOUBLE;
            case StackMapTable.LONG:
                return LONG;
            case StackMapTable.NULL:
                return NULL;
            case StackMapTable.THIS:
                return UNINITIALISED_THIS;
            case StackMapTable.OBJECT:
                return object(
                        pool.getClassInfoByDescriptor(data).startsWith("[")
                                ? pool.getClassInfoByDescriptor(data)
                                : pool.getClassInfo(data));
            case StackMapTable.UNINIT:
                return UNINITIALISED + data;
            default:
                throw new MalformedClassException("a stack map frame has the unknown type " + tag);
        }
    }

    /** Returns the type of an array's elements. */
    static String element(String array) {
        if (array.equals(NULL)) {
            return NULL;
        }
        return array.startsWith("a[L") || array.startsWith("a[[") ? ofDescriptor(array.substring(2)) : SOME_OBJECT;
    }

    static boolean isWide(String type) {
        return type.equals(LONG) || type.equals(DOUBLE);
    }

    public static boolean isUninitialised(String type) {
        return type.equals(UNINITIALISED_THIS) || type.startsWith(UNINITIALISED);
    }

    /** Returns whether a type is that of an initialised object, or null. */
    public static boolean isReference(String type) {
        return type.startsWith(OBJECT) || type.equals(NULL) || type.equals(SOME_OBJECT);
    }

    /** Returns whether two types are surely the same. */
    static boolean same(String one, String other) {
        return one.equals(other) && !one.equals(SOME_OBJECT);
    }

    /** Returns whether a value surely has a type, without knowing which classes extend which. */
    public static boolean fits(String value, String type) {
        return type.equals(TOP)
                || same(value, type)
                || value.equals(NULL) && isReference(type)
                || isReference(value) && type.equals(ROOT);
    }

    /** Returns what is known of a value that has one of two types. */
    static String merged(String one, String other) {
        if (one.equals(other)) {
            return one;
        }
        return isReference(one) && isReference(other) ? SOME_OBJECT : TOP;
    }
}
