package org.navitas.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PlatformLauncherTest {
    private static final String ENGINE = "org/junit/platform/engine/TestEngine.class";
    private static final String LAUNCHER = "org/junit/platform/launcher/Launcher.class";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void gradlesPlatformIsItsLauncherAndWhatThatNeeds() throws IOException {
        for (String place : Arrays.asList("lib", "lib/plugins")) {
            File home = folder.newFolder();
            File jars = new File(home, place);
            assertTrue(jars.mkdirs());
            for (String name : Arrays.asList("launcher-1.8.2", "engine-1.8.2", "commons-1.8.2", "suite-1.8.2")) {
                assertTrue(new File(jars, "junit-platform-" + name + ".jar").createNewFile());
            }
            assertEquals(
                    Arrays.asList(
                            "junit-platform-commons-1.8.2.jar",
                            "junit-platform-engine-1.8.2.jar",
                            "junit-platform-launcher-1.8.2.jar"),
                    PlatformLauncher.ofGradle(home).stream().map(File::getName).collect(Collectors.toList()));
        }
        assertEquals(Collections.emptyList(), PlatformLauncher.ofGradle(folder.newFolder()));
        assertEquals(Collections.emptyList(), PlatformLauncher.ofGradle(null));
    }

    @Test
    public void aClassPathWithALauncherNeedsNone() throws IOException {
        Collection<File> gradles = Collections.singleton(new File("launcher.jar"));
        assertEquals(gradles, missing(gradles, ENGINE));
        assertTrue(missing(gradles, ENGINE, LAUNCHER).isEmpty());
    }

    @Test
    public void whatIsMissingIsNamed() {
        String noEngine = assertThrows(GradleException.class, () -> missing(Collections.emptySet()))
                .getMessage();
        assertTrue(noEngine, noEngine.contains("tests of :app use the JUnit Platform, but there is no engine"));
        String noLauncher = assertThrows(GradleException.class, () -> missing(Collections.emptySet(), ENGINE))
                .getMessage();
        assertTrue(noLauncher, noLauncher.contains("Add testRuntimeOnly 'org.junit.platform:junit-platform-launcher'"));
    }

    private Collection<File> missing(Collection<File> gradles, String... classes) throws IOException {
        File root = folder.newFolder();
        for (String name : classes) {
            File file = new File(root, name);
            file.getParentFile().mkdirs();
            assertTrue(file.createNewFile());
        }
        Owners owners = new Owners(Collections.emptyMap(), Collections.emptyMap(), ":app");
        List<ClassPathEntry> entries = ClassPathEntry.sort(
                Collections.singletonList(root), Collections.emptySet(), Collections.emptySet(), owners, ":app");
        return PlatformLauncher.missing(entries, gradles, ":app");
    }
}
