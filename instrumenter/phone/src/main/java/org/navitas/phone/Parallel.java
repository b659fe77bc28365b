package org.navitas.phone;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;

/** Disables parallel execution of tests: energies of overlapping tests cannot be separated. */
final class Parallel {
    /** Settings of the engines; unknown ones have no effect. */
    static final List<String> SWITCHES = Arrays.asList(
            "junit.jupiter.execution.parallel.enabled",
            "junit.vintage.execution.parallel.enabled",
            "cucumber.execution.parallel.enabled");

    private Parallel() {}

    /**
     * Returns a warning for each setting that the user's build enables, by system property or in {@code
     * junit-platform.properties}.
     */
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
                warnings.add("parallel execution of tests is disabled (" + name
                        + "): energies of overlapping tests cannot be separated");
            }
        }
        return warnings;
    }
}
