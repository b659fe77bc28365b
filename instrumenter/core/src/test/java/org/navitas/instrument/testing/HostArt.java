package org.navitas.instrument.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Android's runtime, built for this machine: what AOSP's builds of ART for a host install, as docs/dev/testing.md says. */
public final class HostArt {
    public static final String VARIABLE = "NAVITAS_ART_HOME";

    /** What AOSP's own tests of ART put on the boot class path, in its order: the folder's name and the library's. */
    private static final List<String> BOOT = Arrays.asList(
            "com.android.art/core-oj",
            "com.android.art/core-libart",
            "com.android.art/okhttp",
            "com.android.art/bouncycastle",
            "com.android.art/apache-xml",
            "com.android.i18n/core-icu4j",
            "com.android.conscrypt/conscrypt");

    private final Path home;

    private HostArt(Path home) {
        this.home = home;
    }

    /** Returns the runtime that the environment names, or null. */
    public static HostArt named() {
        String home = System.getenv(VARIABLE);
        return home == null || home.isEmpty() ? null : at(Paths.get(home));
    }

    /**
     * Returns the runtime in a folder.
     *
     * @throws IllegalArgumentException that names what is missing
     */
    public static HostArt at(Path home) {
        HostArt art = new HostArt(home.toAbsolutePath());
        art.program();
        art.bootClassPath();
        return art;
    }

    /**
     * Runs a class to its end and returns what it says.
     *
     * @param data an empty folder for the runtime's own files
     * @param dex the class path
     */
    public String run(Path data, List<Path> dex, String main, String... arguments) throws Exception {
        Files.createDirectories(data.resolve("dalvik-cache"));
        List<String> command = new ArrayList<>(Arrays.asList(
                program().toString(), "-Xbootclasspath:" + joined(bootClassPath()), "-cp", joined(dex), main));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder program = new ProcessBuilder(command);
        Map<String, String> environment = program.environment();
        environment.put("ANDROID_ROOT", home.toString());
        environment.put("ANDROID_DATA", data.toString());
        environment.put("ANDROID_ART_ROOT", module("com.android.art"));
        environment.put("ANDROID_I18N_ROOT", module("com.android.i18n"));
        environment.put("ANDROID_TZDATA_ROOT", module("com.android.tzdata"));
        environment.put("LD_LIBRARY_PATH", home.resolve("lib64") + ":" + home.resolve("lib"));
        return Programs.run(main + " on ART", program);
    }

    private Path program() {
        for (String name : Arrays.asList("dalvikvm64", "dalvikvm")) {
            if (Files.isExecutable(home.resolve("bin").resolve(name))) {
                return home.resolve("bin").resolve(name);
            }
        }
        throw new IllegalArgumentException(VARIABLE + ": " + home + " has no program bin/dalvikvm64");
    }

    private List<Path> bootClassPath() {
        return BOOT.stream()
                .map(each -> {
                    Path jar = home.resolve("apex").resolve(each.replace("/", "/javalib/") + ".jar");
                    if (!Files.isRegularFile(jar)) {
                        throw new IllegalArgumentException(VARIABLE + ": the boot class path lacks " + jar);
                    }
                    return jar;
                })
                .collect(Collectors.toList());
    }

    /** A module's folder: next to the programs, as builds for a host install it, or else that of its libraries. */
    private String module(String name) {
        Path installed = home.resolve(name);
        return (Files.isDirectory(installed) ? installed : home.resolve("apex").resolve(name)).toString();
    }

    private static String joined(List<Path> paths) {
        return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
