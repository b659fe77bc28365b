package org.navitas.gradle.builds;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The Gradle installations for tests: the one on PATH, and NAVITAS_GRADLE_HOMES or those of `make gradle-homes`. */
final class Installations {
    private Installations() {}

    /** Returns names and launchers: the oldest made one with {@code make test}, and with {@code make test-all} also the others. */
    static List<Object[]> chosen() {
        String which = System.getProperty("navitas.inputs", "all");
        List<Object[]> all = all();
        return all.subList(which.equals("others") ? 1 : 0, which.equals("first") ? 1 : all.size());
    }

    /** If there are none, returns a launcher that does not exist. */
    private static List<Object[]> all() {
        Map<String, File> launchers = new LinkedHashMap<>();
        String named = System.getenv("NAVITAS_GRADLE_HOMES");
        File[] made = new File(System.getProperty("navitas.gradleHomes"))
                .listFiles(file -> file.getName().startsWith("gradle-"));
        List<File> homes = new ArrayList<>();
        if (named != null && !named.isEmpty()) {
            Arrays.stream(named.split(File.pathSeparator)).map(File::new).forEach(homes::add);
        } else if (made != null) {
            Arrays.sort(made);
            homes.addAll(Arrays.asList(made));
        }
        homes.forEach(home -> launchers.put(home.getName(), new File(home, "bin/gradle")));
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            File launcher = new File(folder, "gradle");
            if (launcher.canExecute()) {
                launchers.putIfAbsent("path", launcher);
            }
        }
        if (launchers.isEmpty()) {
            launchers.put("none", new File("none: make gradle-homes"));
        }
        List<Object[]> parameters = new ArrayList<>();
        launchers.forEach((name, launcher) -> parameters.add(new Object[] {name, launcher}));
        return parameters;
    }
}
