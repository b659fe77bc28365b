package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import com.android.tools.r8.CompilationMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.testing.Dexed;
import org.navitas.instrument.testing.DexedTargets;
import org.navitas.instrument.testing.HostArt;
import org.navitas.instrument.testing.Libraries;
import org.navitas.instrument.testing.TargetProgram;
import org.navitas.instrument.testing.TracedRun;
import org.navitas.runtime.Probe;

/** The targets, with probes, on Android's runtime itself, if the machine has one. */
public class ArtTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    public void targetsCallTheSameProbes() throws Exception {
        HostArt art = HostArt.named();
        assumeTrue(HostArt.VARIABLE + " names no host build of ART (docs/dev/testing.md)", art != null);
        DexedTargets targets = new DexedTargets(path("targets"));
        for (CompilationMode mode : CompilationMode.values()) {
            List<Path> dex = new ArrayList<>(targets.compile(mode, 26).into(path(mode + "-targets")));
            List<Path> others = new ArrayList<>(DexedTargets.LIBRARIES);
            others.add(Libraries.jarOf(Probe.class).resolve("org/navitas/runtime/Probe.class"));
            others.add(Libraries.jarOf(Probe.class).resolve("org/navitas/runtime/BlockProbe.class"));
            others.add(Libraries.jarOf(ArtTest.class).resolve("org/navitas/instrument/testing/TracedRun.class"));
            dex.addAll(Dexed.of(others, Collections.emptyList(), mode, 26).into(path(mode + "-others")));
            for (TargetProgram each : targets.programs) {
                String[] said = art.run(path("data"), dex, TracedRun.class.getName(), "targets." + each.className())
                        .trim()
                        .split(" ");
                List<String> events = Arrays.asList(said).subList(1, said.length);
                assertEquals(each.file + " " + mode, each.expectedTrace(), TargetProgram.named(events, targets.map));
            }
        }
    }

    /** With a program in place of ART that says how it was called. */
    @Test
    public void callsArtAsItsOwnTestsDo() throws Exception {
        Path home = path("host");
        IllegalArgumentException none = assertThrows(IllegalArgumentException.class, () -> HostArt.at(home));
        assertTrue(none.getMessage(), none.getMessage().contains("no program bin/dalvikvm64"));
        Path program = home.resolve("bin/dalvikvm64");
        Files.createDirectories(program.getParent());
        Files.write(
                program,
                ("#!/bin/sh\necho \"$@\"\necho $ANDROID_ROOT $ANDROID_DATA $ANDROID_ART_ROOT $ANDROID_I18N_ROOT"
                                + " $ANDROID_TZDATA_ROOT $LD_LIBRARY_PATH\n")
                        .getBytes(StandardCharsets.UTF_8));
        assertTrue(program.toFile().setExecutable(true));
        for (String each : Arrays.asList(
                "art/core-oj",
                "art/core-libart",
                "art/okhttp",
                "art/bouncycastle",
                "art/apache-xml",
                "i18n/core-icu4j")) {
            jar(home, each);
        }
        IllegalArgumentException lacks = assertThrows(IllegalArgumentException.class, () -> HostArt.at(home));
        assertTrue(lacks.getMessage(), lacks.getMessage().endsWith("apex/com.android.conscrypt/javalib/conscrypt.jar"));
        jar(home, "conscrypt/conscrypt");
        Files.createDirectories(home.resolve("com.android.art"));

        Path data = path("data");
        String said = HostArt.at(home).run(data, Arrays.asList(path("a.dex"), path("b.dex")), "Main", "one", "two");
        String apex = home + "/apex/com.android.";
        assertEquals(
                "-Xbootclasspath:"
                        + String.join(
                                ":",
                                apex + "art/javalib/core-oj.jar",
                                apex + "art/javalib/core-libart.jar",
                                apex + "art/javalib/okhttp.jar",
                                apex + "art/javalib/bouncycastle.jar",
                                apex + "art/javalib/apache-xml.jar",
                                apex + "i18n/javalib/core-icu4j.jar",
                                apex + "conscrypt/javalib/conscrypt.jar")
                        + " -cp " + path("a.dex") + ":" + path("b.dex") + " Main one two\n"
                        + String.join(
                                " ",
                                home.toString(),
                                data.toString(),
                                home + "/com.android.art",
                                apex + "i18n",
                                apex + "tzdata",
                                home + "/lib64:" + home + "/lib")
                        + "\n",
                said);
        assertTrue(Files.isDirectory(data.resolve("dalvik-cache")));
    }

    private static void jar(Path home, String name) throws Exception {
        Path jar = home.resolve("apex/com.android." + name.replace("/", "/javalib/") + ".jar");
        Files.createDirectories(jar.getParent());
        Files.createFile(jar);
    }

    private Path path(String name) {
        return temporary.getRoot().toPath().resolve(name);
    }
}
