package org.navitas.gradle.android;

import java.io.File;
import org.navitas.instrument.files.Input;

/** A folder or jar of classes to pack into an APK. Immutable. */
public final class ClassSource {
    final File file;
    final String module;
    /** The source of an {@link Input}, or null to copy the classes unchanged. */
    final String kind;

    private ClassSource(File file, String module, String kind) {
        this.file = file;
        this.module = module;
        this.kind = kind;
    }

    /**
     * Returns code of the user's projects.
     *
     * @param file folder or jar
     * @param module Gradle path of the project
     * @param isTest whether it is test code
     * @return the source
     */
    public static ClassSource own(File file, String module, boolean isTest) {
        return new ClassSource(file, module, isTest ? Input.TEST : Input.MAIN);
    }

    /**
     * Returns third-party code, which gets probes only if an include pattern matches.
     *
     * @param file folder or jar
     * @param module Gradle path of the module that uses it
     * @return the source
     */
    public static ClassSource library(File file, String module) {
        return new ClassSource(file, module, Input.DEPENDENCY);
    }

    /**
     * Returns classes that get no probes.
     *
     * @param file folder or jar
     * @return the source
     */
    public static ClassSource plain(File file) {
        return new ClassSource(file, "", null);
    }

    /**
     * Returns what decides how the classes are instrumented, apart from the classes themselves.
     *
     * @return kind and module as text
     */
    public String text() {
        return kind == null ? "unchanged" : kind + " " + module;
    }

    /** Returns whether these are classes of a project, which an edit changes. */
    boolean changesOften() {
        return file.isDirectory() || kind != null && !kind.equals(Input.DEPENDENCY);
    }

    boolean mayGetProbes(ClassOptions options) {
        return kind != null && (!kind.equals(Input.DEPENDENCY) || options.mayChange(file)) && file.exists();
    }
}
