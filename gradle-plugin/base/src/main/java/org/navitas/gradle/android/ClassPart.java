package org.navitas.gradle.android;

/** The parts of a variant's classes that have method maps of their own. */
public enum ClassPart {
    /** The build's other modules in an app, if Android adds their probes. */
    MODULES("Modules"),
    /** The app; also the build's other modules if they are processed together. */
    APP("App"),
    /** The tests. */
    TESTS("Tests");

    /** The name of its folder, and in those of tasks. */
    public final String folder;

    ClassPart(String folder) {
        this.folder = folder;
    }

    /**
     * Returns the part of an app or of tests.
     *
     * @param isTest whether they are the tests
     * @return the tests or the app
     */
    public static ClassPart of(boolean isTest) {
        return isTest ? TESTS : APP;
    }
}
