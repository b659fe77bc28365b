package org.navitas.census;

import com.sun.source.tree.Tree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects the events of one method with their lines and regions. */
final class EventList {
    private final SourceClass owner;
    private final List<Event> events;
    private final List<String> pending = new ArrayList<>();
    private int first;
    private int last;
    private int region;
    private int inFinally;
    private int inCopy;
    private final List<Boolean> copies = new ArrayList<>();

    EventList(SourceClass owner, List<Event> events) {
        this.owner = owner;
        this.events = events;
    }

    /** Sets the lines of the next events: from the start of a tree to the end of another, or the start if that is null. */
    void lines(Tree from, Tree to) {
        first = owner.firstLine(from);
        last = to == null ? first : Math.max(first, owner.lastLine(to));
    }

    void newRegion() {
        region++;
    }

    /** Adds operations that the next jump stands for. */
    void pend(String operation) {
        pending.add(operation);
    }

    Event add(String kind, String... operations) {
        List<String> all = new ArrayList<>(Arrays.asList(operations));
        if ("jump".equals(kind)) {
            all.addAll(0, pending);
            pending.clear();
        }
        Event event = new Event(kind, all, first, last, region);
        event.inFinally = inFinally > 0;
        event.isCopy = inCopy > 0;
        events.add(event);
        return event;
    }

    /** Adds an instruction that no operation of the source stands for. */
    Event silent(String kind) {
        return add(kind);
    }

    /** Adds an instruction that some versions of compilers do not make. */
    void optional(String kind) {
        add(kind).optional = true;
    }

    /** Adds an operation without an instruction of its own. */
    void floating(String... operations) {
        add(null, operations);
    }

    void enterFinally(boolean copy) {
        inFinally++;
        copies.add(copy);
        inCopy += copy ? 1 : 0;
    }

    void leaveFinally() {
        inFinally--;
        inCopy -= copies.remove(copies.size() - 1) ? 1 : 0;
    }

    /** Makes the operations that found no jump wait for a neighbour. */
    void end() {
        if (!pending.isEmpty()) {
            List<String> left = new ArrayList<>(pending);
            pending.clear();
            floating(left.toArray(new String[0]));
        }
    }
}
