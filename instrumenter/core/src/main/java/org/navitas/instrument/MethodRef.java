package org.navitas.instrument;

/** A method with probes: its name and descriptor from the class file, and its first source line; 0 if unknown. */
final class MethodRef {
  final String name;
  final String descriptor;
  final int line;

  MethodRef(String name, String descriptor, int line) {
    this.name = name;
    this.descriptor = descriptor;
    this.line = line;
  }
}
