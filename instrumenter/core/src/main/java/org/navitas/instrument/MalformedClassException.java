package org.navitas.instrument;

/** A class file breaks the format; caught per class, which is then left untouched and listed. */
final class MalformedClassException extends Exception {
  private static final long serialVersionUID = 1L;

  MalformedClassException(String message) {
    super(message);
  }
}
