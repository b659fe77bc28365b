package org.navitas.census;

import java.util.ArrayList;
import java.util.List;

/** A method, constructor, initialiser or lambda of the source, and its events in the compiler's order. */
final class SourceMethod {
    /** As in bytecode, {@code <clinit>} for static initialisers; {@code lambda$} for lambdas. */
    final String name;
    /** The erased types of the parameters in descriptors; null if unknown. */
    final String parameters;

    final int firstLine;
    final int lastLine;
    final List<Event> events = new ArrayList<>();
    /** Why the source cannot be used, or null. */
    String problem;
    /** Whether the compiler wrote this constructor. */
    boolean implied;

    SourceMethod(String name, String parameters, int firstLine, int lastLine) {
        this.name = name;
        this.parameters = parameters;
        this.firstLine = firstLine;
        this.lastLine = lastLine;
    }
}
