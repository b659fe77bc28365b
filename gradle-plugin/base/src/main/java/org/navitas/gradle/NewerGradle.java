package org.navitas.gradle;

import java.lang.reflect.Method;
import org.gradle.api.tasks.testing.Test;

/** Calls what came to Gradle's public types after the version that the plugin is compiled against. */
public final class NewerGradle {
  private NewerGradle() {}

  /** The result of a method without arguments; null when this Gradle has no such type or method. */
  public static Object call(Object target, String type, String method) {
    try {
      return call(target, Class.forName(type, false, Test.class.getClassLoader()), method);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  /** The same for a type that is at hand. */
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
