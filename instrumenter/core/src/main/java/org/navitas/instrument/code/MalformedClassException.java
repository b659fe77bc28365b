package org.navitas.instrument.code;

/** A class file violates the format. Caught for each class; the class is then skipped. */
public final class MalformedClassException extends Exception {
    private static final long serialVersionUID = 1L;

    public MalformedClassException(String message) {
        super(message);
    }
}
