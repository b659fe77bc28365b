package org.navitas.gradle;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.gradle.api.Project;

/** What a build sets: project properties {@code navitas.<name>} first, the block {@code navitas { }} where there is none. */
public final class Settings {
  private final Project project;

  public Settings(Project project) {
    this.project = project;
  }

  /** A list; in a property its items have commas between. */
  public List<String> list(String name, List<String> otherwise) {
    Object value = property(name);
    if (value == null) {
      return otherwise;
    }
    return Arrays.stream(value.toString().split(",")).map(String::trim).filter(s -> !s.isEmpty()).collect(Collectors.toList());
  }

  public boolean flag(String name, boolean otherwise) {
    Object value = property(name);
    return value == null ? otherwise : Boolean.parseBoolean(value.toString());
  }

  /** Text of a value; null when neither sets it. */
  public String text(String name, Object otherwise) {
    Object value = property(name);
    return value != null ? value.toString() : otherwise == null ? null : otherwise.toString();
  }

  /** A file, told from the project's folder. */
  File file(String name, Object otherwise) {
    Object value = property(name);
    return project.file(value == null ? otherwise : value);
  }

  private Object property(String name) {
    return project.findProperty("navitas." + name);
  }
}
