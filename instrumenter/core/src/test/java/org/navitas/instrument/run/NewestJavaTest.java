package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.testing.Chosen;
import org.navitas.instrument.testing.MapText;
import org.navitas.instrument.testing.TracedRun;

/** Classes that javac of Java 25 compiles for Java 22 to 25, run by Java 25. Needs its JDK next to this one. */
public class NewestJavaTest {
    private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");
    private static final int NEWEST = ClassScan.NEWEST_MAJOR - 44;
    private static Path jdk;

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @BeforeClass
    public static void findJdk() throws IOException {
        for (File each : new File(System.getProperty("java.home"))
                .getAbsoluteFile()
                .getParentFile()
                .listFiles()) {
            Path release = each.toPath().resolve("release");
            if (Files.isRegularFile(release) && Files.isExecutable(each.toPath().resolve("bin/javac"))) {
                Matcher version = VERSION.matcher(new String(Files.readAllBytes(release), StandardCharsets.UTF_8));
                jdk = version.find() && Integer.parseInt(version.group(1)) == NEWEST ? each.toPath() : jdk;
            }
        }
        assumeTrue("a JDK of Java " + NEWEST + " is next to this one", jdk != null);
    }

    @Test
    public void eachVersionRunsWithProbes() throws Exception {
        check("/targets/Java25.java.txt", 25);
        for (int release : Chosen.of(Arrays.asList(NEWEST, 24, 23, 22))) {
            check("/targets/Java22.java.txt", release);
        }
    }

    @Test
    public void previewFeaturesRunWithProbes() throws Exception {
        check("/preview/Primitive.java.txt", NEWEST, "--enable-preview");
    }

    private void check(String resource, int release, String... options) throws Exception {
        Path root = temporary.newFolder().toPath();
        String source = new String(
                Files.readAllBytes(
                        new File(NewestJavaTest.class.getResource(resource).toURI()).toPath()),
                StandardCharsets.UTF_8);
        String name = resource.substring(resource.lastIndexOf('/') + 1, resource.indexOf('.'));
        Files.write(root.resolve(name + ".java"), source.getBytes(StandardCharsets.UTF_8));
        Path in = Files.createDirectory(root.resolve("in"));
        List<String> javac = new ArrayList<>(Arrays.asList(
                jdk.resolve("bin/javac").toString(),
                "--release",
                "" + release,
                "-g",
                "-XDsuppressNotes",
                "-d",
                in.toString()));
        javac.addAll(Arrays.asList(options));
        javac.add(root.resolve(name + ".java").toString());
        run(javac);
        assertEquals(release + 44, ClassScan.majorOf(Files.readAllBytes(in.resolve("targets/" + name + ".class"))));

        Path map = root.resolve("map.json");
        String[] printed = traced(instrumented(in, root.resolve("out"), Probes.METHODS, map), name, options)
                .trim()
                .split(" ");
        MapText methods = MapText.of(map);
        String trace = Arrays.stream(printed)
                .skip(1)
                .map(event -> event.charAt(0) + methods.method(Integer.parseInt(event.substring(1))))
                .collect(Collectors.joining(" "));
        assertEquals(expected(source), trace);

        Path counted = instrumented(in, root.resolve("blocks"), Probes.BLOCKS, root.resolve("blocks.json"));
        assertTrue(Long.parseLong(traced(counted, name, options).trim()) > printed.length / 4);
    }

    private static Path instrumented(Path in, Path out, Probes probes, Path map) throws InstrumentException {
        Summary summary = BulkInstrumenter.run(
                Arrays.asList(new Input(in, out, Input.MAIN, ":")),
                Options.builder().probes(probes).build(),
                map);
        assertEquals(Collections.emptyList(), summary.warnings());
        return out;
    }

    private String traced(Path out, String name, String... options) throws Exception {
        List<String> java = new ArrayList<>(
                Collections.singletonList(jdk.resolve("bin/java").toString()));
        java.addAll(Arrays.asList(options));
        java.addAll(Arrays.asList(
                "-cp",
                out
                        + File.pathSeparator
                        + new File(TracedRun.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI()),
                TracedRun.class.getName(),
                "targets." + name));
        return run(java);
    }

    private String run(List<String> command) throws Exception {
        File said = temporary.newFile();
        Process process = new ProcessBuilder(command)
                .redirectOutput(said)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertEquals(command.toString(), 0, process.waitFor());
        return new String(Files.readAllBytes(said.toPath()), StandardCharsets.UTF_8);
    }

    private static String expected(String source) {
        List<String> lines = new ArrayList<>();
        for (Matcher matcher = Pattern.compile("// trace: (.*)").matcher(source); matcher.find(); ) {
            lines.add(matcher.group(1).trim());
        }
        return String.join(" ", lines);
    }
}
