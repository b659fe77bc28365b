package org.navitas.instrument;

/** A class file violates the format. Caught for each class; the class is then skipped. */
final class MalformedClassException extends Exception {
  private static final long serialVersionUID = 1L;

  MalformedClassException(String message) {
    super(message);
  }
}
