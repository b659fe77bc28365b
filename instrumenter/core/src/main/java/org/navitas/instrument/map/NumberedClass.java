package org.navitas.instrument.map;

import java.util.ArrayList;
import java.util.List;

/** A class of a method map, and its methods with their ids. */
public final class NumberedClass {
    public final String name;
    /** SHA-256 of the original bytes. */
    final String sha256;

    final String source;
    final String module;
    /** Source file, or null. */
    final String file;
    /** In the order of the class file. */
    public final List<MethodRef> methods = new ArrayList<>();
    /** The id of each method, once all are known. */
    public int[] ids = {};

    public NumberedClass(String name, String sha256, String source, String module, String file) {
        this.name = name;
        this.sha256 = sha256;
        this.source = source;
        this.module = module;
        this.file = file;
    }
}
