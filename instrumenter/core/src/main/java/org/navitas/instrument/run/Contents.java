package org.navitas.instrument.run;

import java.util.List;
import org.navitas.instrument.files.Input;

/** The files of one input. */
final class Contents {
    final Input input;
    final boolean jar;
    /** All files of a folder, sorted by path; for a jar, its classes that a JVM can load by name, in the jar's order. */
    final List<Entry> entries;
    /** SHA-256 of a whole jar; null for a folder. */
    final String jarSha256;

    Contents(Input input, boolean jar, List<Entry> entries, String jarSha256) {
        this.input = input;
        this.jar = jar;
        this.entries = entries;
        this.jarSha256 = jarSha256;
    }

    boolean changed() {
        return entries.stream().anyMatch(Entry::changed);
    }
}
