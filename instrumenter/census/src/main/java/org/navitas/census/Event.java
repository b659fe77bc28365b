package org.navitas.census;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the compiler makes of a piece of source: an instruction of some kind, with the operations that it stands for. */
final class Event {
    /** How the class must concatenate strings for the event to exist. */
    enum Concatenation {
        ANY,
        DYNAMIC,
        BUILDER
    }

    /** The kind of instruction ({@link InstructionKinds}), or null for operations without an instruction. */
    final String kind;

    final List<String> operations;
    final int firstLine;
    final int lastLine;
    /** Events of one region are in one block. */
    final int region;

    boolean optional;
    /** Whether it is in a finally block, of which there can be copies. */
    boolean inFinally;
    /** Whether it is in a further copy of a finally block. */
    boolean isCopy;
    /** Whether the instruction's own operations do not count. */
    boolean hidden;

    Concatenation when = Concatenation.ANY;

    Event(String kind, List<String> operations, int firstLine, int lastLine, int region) {
        this.kind = kind;
        this.operations = Collections.unmodifiableList(new ArrayList<>(operations));
        this.firstLine = firstLine;
        this.lastLine = lastLine;
        this.region = region;
    }
}
