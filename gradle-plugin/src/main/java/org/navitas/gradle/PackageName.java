package org.navitas.gradle;

import java.util.Locale;
import javax.lang.model.SourceVersion;

/** The name under which a module's bundle is installed. */
final class PackageName {
  private PackageName() {}

  /**
   * Makes {@code group.name} a valid Java package name of at least two parts: other characters become {@code _}, which
   * also goes before a digit at the start and after a keyword. A module without a group is in {@code local}.
   */
  static String of(String group, String name) {
    StringBuilder result = new StringBuilder();
    for (String part : ((group.isEmpty() ? "local" : group) + "." + name).split("\\.", -1)) {
      String valid = part.replaceAll("[^A-Za-z0-9_]", "_");
      if (valid.isEmpty() || Character.isDigit(valid.charAt(0))) {
        valid = "_" + valid;
      }
      // `_` alone is a keyword since Java 9; the check is made by the running Java's rules and its lower-case form.
      if (valid.equals("_") || SourceVersion.isKeyword(valid.toLowerCase(Locale.ROOT))) {
        valid += "_";
      }
      result.append(result.length() == 0 ? "" : ".").append(valid);
    }
    return result.toString();
  }
}
