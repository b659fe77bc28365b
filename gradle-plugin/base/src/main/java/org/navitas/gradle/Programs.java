package org.navitas.gradle;

import java.io.File;
import org.gradle.api.GradleException;

/**
 * Finds programs on the PATH of the process that called Gradle. If Gradle cannot pass it to its daemon (before Gradle 5
 * on newer Java), uses the daemon's PATH.
 */
final class Programs {
    private Programs() {}

    /** Returns the file of a program, given by path or by name. Throws GradleException if there is none. */
    static File find(String name) {
        File file = new File(name);
        if (file.isAbsolute()) {
            if (!file.canExecute()) {
                throw missing("there is no program " + name);
            }
            return file;
        }
        String path = System.getenv().getOrDefault("PATH", "");
        for (String folder : path.split(File.pathSeparator)) {
            File candidate = new File(folder, name);
            if (candidate.isFile() && candidate.canExecute()) {
                return candidate;
            }
        }
        throw missing("there is no `" + name + "` on PATH of Gradle's daemon: " + path
                + "\nA daemon keeps the PATH that it was started with;" + " if `" + name
                + "` was installed since, run `gradle --stop`");
    }

    private static GradleException missing(String problem) {
        return new GradleException("navitas: " + problem
                + ". Install Navitas, or set its command line: navitas { executable = '/path/to/navitas' }");
    }
}
