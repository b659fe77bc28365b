package org.navitas.phone;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;

/** Parallel execution of tests is set off: the energies of tests that overlap cannot be told apart. */
final class Parallel {
    /** The switches of engines; unknown ones do no harm. */
    static final List<String> SWITCHES = Arrays.asList(
            "junit.jupiter.execution.parallel.enabled",
            "junit.vintage.execution.parallel.enabled",
            "cucumber.execution.parallel.enabled");

    private Parallel() {}

    /** One for each switch that the user's build has on, as a system property or in {@code junit-platform.properties}. */
    static List<String> warnings(ClassLoader loader) throws IOException {
        Properties file = new Properties();
        try (InputStream in = loader.getResourceAsStream("junit-platform.properties")) {
            if (in != null) {
                file.load(in);
            }
        }
        List<String> warnings = new ArrayList<>();
        for (String name : SWITCHES) {
            if (Boolean.parseBoolean(System.getProperty(name, file.getProperty(name)))) {
                warnings.add("parallel execution of tests is set off (" + name
                        + "): the energies of tests that overlap cannot be told apart");
            }
        }
        return warnings;
    }
}
