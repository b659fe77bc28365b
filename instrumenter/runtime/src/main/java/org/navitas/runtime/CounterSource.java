package org.navitas.runtime;

import java.io.File;
import java.io.IOException;

/** Something that the sampler reads; used by its thread alone. */
abstract class CounterSource {
    final int id;
    final File path;
    /** Readings that failed in a row. */
    int failures;

    CounterSource(int id, File path) {
        this.id = id;
        this.path = path;
    }

    /** Appends the present reading; appending nothing means that there is nothing to record. */
    abstract void read(Bytes into) throws IOException;
}
