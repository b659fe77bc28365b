package org.navitas.gradle.android;

import java.io.File;

/** Where the instrumented classes of an APK are written. Immutable. */
public final class ClassOutputs {
    final File map;
    final File folder;
    final File jar;
    final File work;
    final boolean writesMapClass;

    /**
     * Creates the outputs of a component.
     *
     * @param map the method map to write
     * @param folder the folder to write, for classes of projects
     * @param jar the jar to write, for classes of libraries
     * @param work a folder that is kept for the next run
     * @param writesMapClass whether the folder contains the class with the map's id
     */
    public ClassOutputs(File map, File folder, File jar, File work, boolean writesMapClass) {
        this.map = map;
        this.folder = folder;
        this.jar = jar;
        this.work = work;
        this.writesMapClass = writesMapClass;
    }
}
