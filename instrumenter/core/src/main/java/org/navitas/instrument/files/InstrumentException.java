package org.navitas.instrument.files;

/**
 * Instrumentation failed. The message is one line that is safe to print. It names the cause and the file, as {@code
 * file@class} inside jars and folders. Invalid input causes no other exception.
 */
public final class InstrumentException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the file and the cause; control characters are escaped
     */
    public InstrumentException(String message) {
        super(Io.printable(message));
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message names the file and the cause; control characters are escaped
     * @param cause the underlying failure
     */
    public InstrumentException(String message, Throwable cause) {
        super(Io.printable(message), cause);
    }
}
