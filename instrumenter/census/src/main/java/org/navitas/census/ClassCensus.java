package org.navitas.census;

import java.util.ArrayList;
import java.util.List;

/** The methods of one class that have code. */
final class ClassCensus {
    final String name;
    /** Name of the source file, or null. */
    final String file;

    final String sha256;
    final List<MethodCensus> methods = new ArrayList<>();

    ClassCensus(String name, String file, String sha256) {
        this.name = name;
        this.file = file;
        this.sha256 = sha256;
    }
}
