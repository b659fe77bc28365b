package org.navitas.gradle.android;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.gradle.api.DefaultTask;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;
import org.navitas.gradle.BundleZip;
import org.navitas.gradle.CarriedJars;
import org.navitas.instrument.choice.Probes;

/**
 * Writes the runtime, with the hooks or the counters of basic blocks if the app has any, and the JUnit listener as libraries
 * for apps, with rules for R8 and ProGuard that a JVM does not need.
 */
public class RuntimeJarsTask extends DefaultTask {
    /** Probes refer to the runtime by name, and the runtime finds the map's class by name. */
    private static final String RULES = "-keep class org.navitas.runtime.** { *; }\n"
            + "-keep class org.navitas.map.** { *; }\n"
            + "-keep class org.navitas.hooks.** { *; }\n"
            + "-dontwarn org.navitas.**\n"
            + "-dontwarn java.lang.management.**\n"
            + "-dontwarn org.junit.**\n";

    private Provider<File> folder;
    private Provider<Boolean> hooks;
    private Provider<Probes> probes;

    void settings(Provider<File> folder, Provider<Boolean> hooks, Provider<Probes> probes) {
        this.folder = folder;
        this.hooks = hooks;
        this.probes = probes;
    }

    /**
     * Returns a hash of the jars, which differ between plugin versions.
     *
     * @return hexadecimal digits
     */
    @Input
    public String getHash() {
        return CarriedJars.hash();
    }

    /**
     * Returns whether the app has hooks.
     *
     * @return true to write them
     */
    @Input
    public boolean getHooks() {
        return hooks.get();
    }

    /**
     * Returns the kind of the app's probes.
     *
     * @return the kind
     */
    @Input
    public Probes getProbes() {
        return probes.get();
    }

    /**
     * Returns the runtime.
     *
     * @return the jar to write
     */
    @OutputFile
    public File getRuntime() {
        return new File(folder.get(), CarriedJars.RUNTIME);
    }

    /**
     * Returns the JUnit listener.
     *
     * @return the jar to write
     */
    @OutputFile
    public File getListener() {
        return new File(folder.get(), CarriedJars.LISTENER);
    }

    /**
     * Writes the jars.
     *
     * @throws IOException if a file cannot be read or written
     */
    @TaskAction
    public void write() throws IOException {
        List<String> runtime = new ArrayList<>(Collections.singletonList(CarriedJars.RUNTIME));
        if (getHooks()) {
            runtime.add(CarriedJars.HOOKS);
        }
        if (getProbes() == Probes.BLOCKS) {
            runtime.add(CarriedJars.BLOCKS);
        }
        write(getRuntime(), runtime.toArray(new String[0]));
        write(getListener(), CarriedJars.LISTENER);
    }

    private static void write(File target, String... jars) throws IOException {
        try (BundleZip zip = new BundleZip(Files.newOutputStream(target.toPath()))) {
            for (String jar : jars) {
                ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(CarriedJars.bytes(jar)));
                for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                    if (!entry.isDirectory() && !entry.getName().startsWith("META-INF/")) {
                        zip.add(entry.getName(), CarriedJars.read(in));
                    }
                }
            }
            zip.add("META-INF/proguard/navitas.pro", RULES.getBytes(StandardCharsets.UTF_8));
        }
    }
}
