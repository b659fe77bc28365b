package org.navitas.gradle.builds;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipFile;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** What the plugin does in builds of Java code: its tasks, what makes them run again, and its settings. */
@RunWith(Parameterized.class)
public class JavaBuildTest {
    private static final String BUNDLE = ":navitasBundle";

    /** Daemons and caches of these builds. */
    @ClassRule
    public static final TemporaryFolder DAEMONS = new TemporaryFolder();

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final String name;
    private final File launcher;

    public JavaBuildTest(String name, File launcher) {
        this.name = name;
        this.launcher = launcher;
    }

    @Parameters(name = "{0}")
    public static List<Object[]> installations() {
        return Installations.chosen();
    }

    @Before
    public void writeProject() throws IOException {
        assumeTrue("no Gradle: " + launcher, launcher.canExecute());
        write("settings.gradle", "rootProject.name = 'sample'\n");
        build("");
        write("src/main/java/p/Main.java", "package p; public class Main { public int f() { return 1; } }\n");
        write(
                "src/test/java/p/MainTest.java",
                "package p; public class MainTest { public void t() { new Main().f(); } }\n");
    }

    @AfterClass
    public static void endDaemons() throws Exception {
        for (Object[] installation : Installations.chosen()) {
            if (((File) installation[1]).canExecute()) {
                GradleBuild.run((File) installation[1], DAEMONS.getRoot(), DAEMONS.getRoot(), "--stop");
            }
        }
    }

    @Test
    public void bundlesWhatTheTestsNeed() throws Exception {
        boolean canWarn = !name.equals("path"); // Gradle 4.5 and later
        GradleBuild first = canWarn ? run("navitasBundle", "--warning-mode", "all") : run("navitasBundle");
        assertEquals("SUCCESS", first.tasks.get(BUNDLE));
        assertFalse(
                "nothing that this Gradle will remove is used: " + first.output,
                first.output.contains("has been deprecated"));
        assertTrue(entries().toString(), entries().containsAll(Arrays.asList("bundle.json", "map.json")));
        assertTrue(map(), map().contains("\"class\": \"p.Main\", \"name\": \"f\""));
        assertNull("tests of the module do not run", first.tasks.get(":test"));
    }

    @Test
    public void isUpToDateUntilAnInputChanges() throws Exception {
        run("navitasBundle");
        String before = map();
        assertEquals("UP-TO-DATE", run("navitasBundle").tasks.get(BUNDLE));
        write(
                "src/main/java/p/Main.java",
                "package p; public class Main { public int f() { return 2; } public int g() { return 3; } }\n");
        assertEquals("SUCCESS", run("navitasBundle").tasks.get(BUNDLE));
        assertNotEquals(before, map());
        assertEquals(
                "SUCCESS",
                run("navitasBundle", "-Pnavitas.exclude=p.Main#g").tasks.get(BUNDLE));
        assertFalse(map(), map().contains("\"name\": \"g\""));
    }

    @Test
    public void theBlockChoosesClassesAndThePropertyOutranksIt() throws Exception {
        build("navitas { include 'p.MainTest' }\n");
        run("navitasBundle");
        assertFalse(map(), map().contains("\"class\": \"p.Main\""));
        run("navitasBundle", "-Pnavitas.include=p.**");
        assertTrue(map(), map().contains("\"class\": \"p.Main\""));
    }

    @Test
    public void aBuildWithoutProbesHasNoBundle() throws Exception {
        build("navitas { enabled = false }\n");
        GradleBuild build = execute("navitasBundle");
        assertFalse(build.output, build.succeeded);
        assertTrue(build.output, build.output.contains("gets no probes, because of navitas { enabled = false }"));
        assertFalse(new File(folder.getRoot(), "build/navitas/map.json").exists());
        assertEquals(
                "SUCCESS", run("navitasBundle", "-Pnavitas.enabled=true").tasks.get(BUNDLE));
    }

    @Test
    public void anUnknownKindOfProbesIsAnError() throws Exception {
        GradleBuild build = execute("navitasBundle", "-Pnavitas.probes=many");
        assertFalse(build.output, build.succeeded);
        assertTrue(build.output, build.output.contains("navitas.probes: "));
    }

    @Test
    public void theConfigurationCacheIsReused() throws Exception {
        assumeTrue(
                "no configuration cache before Gradle 6.6", !name.equals("path") && !name.matches("gradle-[1-6]\\..*"));
        run("navitasBundle", "--configuration-cache");
        GradleBuild second = run("navitasBundle", "--configuration-cache");
        assertTrue(second.output, second.output.contains("Reusing configuration cache"));
        assertEquals("UP-TO-DATE", second.tasks.get(BUNDLE));
    }

    @Test
    public void otherTasksRunAsWithoutThePlugin() throws Exception {
        GradleBuild build = run("classes");
        assertTrue(build.output, build.tasks.keySet().stream().noneMatch(task -> task.contains("navitas")));
        assertFalse(new File(folder.getRoot(), "build/navitas").exists());
    }

    @Test
    public void aRevisionIsComparedWithTheProject() throws Exception {
        commandLine("navitas { against = 'main'\n exclude 'p.Main#g'\n instrumentTests = false\n repeat = 3 }\n");
        run("navitasProfile");
        String root = folder.getRoot().getCanonicalPath();
        List<String> called = called();
        String bundle = root + "/build/navitas/sample.bundle.zip";
        assertEquals(Arrays.asList("profile", "--bundle", bundle, "--source", root), called.subList(0, 5));
        String rest = String.join(" ", called);
        assertTrue(rest, rest.contains("--against main --module : --gradle "));
        assertTrue(rest, rest.contains("--exclude p.Main#g --no-test-probes --end-with-stdin"));
        assertTrue(rest, rest.contains("--output " + root + "/build/navitas/against --replace --json"));
        assertTrue(rest, rest.endsWith("/report.json --repeat 3"));
        run("navitasProfile", "-Pnavitas.against=v1");
        assertTrue(called().toString(), called().contains("v1"));
    }

    @Test
    public void settingsThatExcludeEachOtherFailBeforeTheBuild() throws Exception {
        commandLine("");
        String[][] cases = {
            {"-Pnavitas.against=main", "-Pnavitas.arguments=--bundle=a.zip", "`against`", "--bundle"},
            {"-Pnavitas.against=main", "-Pnavitas.blockEdits=edits.json", "`against`", "`blockEdits`"},
            {"-Pnavitas.arguments=--against,main", "-Pnavitas.repeat=1", "--against", "`against`"},
            {"-Pnavitas.arguments=--fail-above,5", "-Pnavitas.repeat=1", "--fail-above", "`against`"},
        };
        for (String[] one : cases) {
            GradleBuild build = execute("navitasProfile", one[0], one[1]);
            assertFalse(build.output, build.succeeded);
            assertTrue(build.output, build.output.contains(one[2]) && build.output.contains(one[3]));
            assertEquals("nothing is built: " + build.output, 0, build.tasks.size());
        }
    }

    @Test
    public void checksBudgetsWithOtherChecksOnRequest() throws Exception {
        commandLine("");
        assertNull(run("check", "-x", "test").tasks.get(":navitasCheck"));
        String made = folder.getRoot().getCanonicalPath() + "/build/navitas/";
        GradleBuild build = run("check", "-x", "test", "-Pnavitas.check=true", "-Pnavitas.against=main");
        assertEquals(build.output, "SUCCESS", build.tasks.get(":navitasCheck"));
        List<String> expected = Arrays.asList(
                "check", made + "against/after", "--before", made + "against/before", "--json", made + "check.json");
        assertEquals(expected, called());
        run("navitasCheck");
        assertEquals(Arrays.asList("check", made + "recording", "--json", made + "check.json"), called());
    }

    /** Writes a build whose command line only notes its arguments. */
    private void commandLine(String block) throws IOException {
        Path program = write("navitas", "#!/bin/sh\nprintf '%s\\n' \"$@\" > called\n");
        assertTrue(program.toFile().setExecutable(true));
        build("navitas { executable = file('navitas') }\n" + block);
    }

    private List<String> called() throws IOException {
        return Files.readAllLines(folder.getRoot().toPath().resolve("called"));
    }

    private GradleBuild run(String... arguments) throws Exception {
        GradleBuild build = execute(arguments);
        assertTrue(build.output, build.succeeded);
        return build;
    }

    private GradleBuild execute(String... arguments) throws Exception {
        return GradleBuild.run(launcher, folder.getRoot(), DAEMONS.getRoot(), arguments);
    }

    private void build(String block) throws IOException {
        String jar = System.getProperty("navitas.plugin").replace("\\", "/");
        write(
                "build.gradle",
                "buildscript { dependencies { classpath files('" + jar + "') } }\n"
                        + "apply plugin: 'java'\napply plugin: 'org.navitas'\n" + block);
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.getRoot().toPath().resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private String map() throws IOException {
        return new String(
                Files.readAllBytes(folder.getRoot().toPath().resolve("build/navitas/map.json")),
                StandardCharsets.UTF_8);
    }

    private Set<String> entries() throws IOException {
        File[] bundles = new File(folder.getRoot(), "build/navitas")
                .listFiles(file -> file.getName().endsWith(".bundle.zip"));
        assertEquals(1, bundles.length);
        Set<String> names = new TreeSet<>();
        try (ZipFile zip = new ZipFile(bundles[0])) {
            zip.stream().forEach(entry -> names.add(entry.getName()));
        }
        return names;
    }
}
