package org.navitas.gradle;

import java.lang.reflect.Method;
import org.gradle.api.tasks.testing.Test;

/**
 * Calls methods that Gradle's public types have since versions newer than the one that the plugin is compiled against.
 */
public final class NewerGradle {
    private NewerGradle() {}

    /**
     * Calls a method without arguments.
     *
     * @param target the object
     * @param type name of the type that declares the method
     * @param method the method's name
     * @return the result, or null if this Gradle has no such type or method
     */
    public static Object call(Object target, String type, String method) {
        try {
            return call(target, Class.forName(type, false, Test.class.getClassLoader()), method);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    /**
     * Calls a method without arguments.
     *
     * @param target the object
     * @param type the type that declares the method
     * @param method the method's name
     * @return the result, or null if this Gradle has no such method
     */
    public static Object call(Object target, Class<?> type, String method) {
        Method found;
        try {
            found = type.getMethod(method);
        } catch (NoSuchMethodException e) {
            return null;
        }
        try {
            return found.invoke(target);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type.getName() + "." + method + ": " + e.getCause(), e);
        }
    }
}
