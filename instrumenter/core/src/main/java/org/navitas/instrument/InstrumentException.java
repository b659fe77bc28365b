package org.navitas.instrument;

/**
 * Instrumentation could not be done. The message names the file (as {@code file@class} inside jars and folders) and
 * the cause, on one line that is safe to print; it is the only exception that bad input leads to.
 */
public final class InstrumentException extends Exception {
  private static final long serialVersionUID = 1L;

  public InstrumentException(String message) {
    super(Io.printable(message));
  }

  public InstrumentException(String message, Throwable cause) {
    super(Io.printable(message), cause);
  }
}
