package org.navitas.instrument.choice;

import java.util.Locale;

/** The kind of probes that the classes of one build have. */
public enum Probes {
    /** Calls of the runtime at each method's entry and exit. */
    METHODS,
    /** Counters of executions of basic blocks. */
    BLOCKS,
    /** None: the classes stay as they are. */
    NONE;

    /**
     * Returns the kind of a name.
     *
     * @param text {@code methods}, {@code blocks} or {@code none}
     * @return the kind
     * @throws IllegalArgumentException for another text
     */
    public static Probes of(String text) {
        for (Probes each : values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        throw new IllegalArgumentException("unknown probes '" + text + "': use methods, blocks or none");
    }

    /**
     * Returns the name in settings and files.
     *
     * @return the name in lower case
     */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
