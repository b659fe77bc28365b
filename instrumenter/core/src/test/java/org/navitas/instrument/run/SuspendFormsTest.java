package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.RuntimeData;
import org.jacoco.core.runtime.SystemPropertiesRuntime;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.testing.Chosen;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.MapText;
import org.navitas.instrument.testing.TargetProgram;
import org.navitas.runtime.Probe;

/** Calls of all forms of suspend functions and lambdas, by comments in {@code SuspendForms.kt.txt}. */
public class SuspendFormsTest {
    private static final Pattern CALLS = Pattern.compile("// calls: (.*)");
    private static final Pattern LINE = Pattern.compile("\"line\": (\\d+)");
    private static final Pattern LAMBDA = Pattern.compile("(?:Forms\\$)?(\\w+?)\\$.*\\.invokeSuspend");

    /** What compilers add to the code: nothing, and variables for debuggers. */
    private static final List<String[]> OPTIONS =
            Arrays.asList(new String[0], new String[] {"-Xenhanced-coroutines-debugging"});

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    public void eachCallCountsOnceAlsoBetweenProbesOfJacoco() throws Exception {
        File file = new File(SuspendFormsTest.class
                .getResource("/suspending/SuspendForms.kt.txt")
                .toURI());
        String source = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
        for (String[] options : Chosen.of(OPTIONS)) {
            Path compiled = temporary.newFolder().toPath();
            Compiled.kotlin(compiled, "SuspendForms.kt", source, options);
            assertEquals(expected(source), calls(compiled, source));
            assertEquals(expected(source), calls(covered(compiled), source));
        }
    }

    private Path covered(Path compiled) throws Exception {
        Path folder = temporary.newFolder().toPath();
        SystemPropertiesRuntime runtime = new SystemPropertiesRuntime();
        runtime.startup(new RuntimeData());
        Instrumenter jacoco = new Instrumenter(runtime);
        for (Path file : files(compiled)) {
            Path covered = folder.resolve(compiled.relativize(file));
            Files.createDirectories(covered.getParent());
            byte[] original = Files.readAllBytes(file);
            Files.write(
                    covered,
                    file.toString().endsWith(".class") ? jacoco.instrument(original, file.toString()) : original);
        }
        return folder;
    }

    private static List<Path> files(Path folder) throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).collect(Collectors.toList());
        }
    }

    private static Map<String, Integer> expected(String source) {
        Map<String, Integer> expected = new TreeMap<>();
        for (Matcher matcher = CALLS.matcher(source); matcher.find(); ) {
            for (String each : matcher.group(1).split(", ")) {
                expected.put(
                        each.substring(0, each.indexOf(' ')), Integer.valueOf(each.substring(each.indexOf(' ') + 1)));
            }
        }
        return expected;
    }

    /** Runs the program with probes, and returns the calls of functions and lambdas. Each method has a line of its file. */
    private Map<String, Integer> calls(Path classes, String source) throws Exception {
        Path out = temporary.newFolder().toPath();
        Path map = out.resolve("map.json");
        BulkInstrumenter.run(
                Arrays.asList(new Input(classes, out.resolve("out"), Input.MAIN, ":")), Options.defaults(), map);
        for (Matcher line = LINE.matcher(MapText.of(map).text); line.find(); ) {
            assertTrue("line " + line.group(1), Integer.parseInt(line.group(1)) <= source.split("\n").length);
        }
        Map<String, Integer> calls = new TreeMap<>();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {out.resolve("out").toUri().toURL()})) {
            Probe.take();
            loader.loadClass("forms.Forms").getMethod("run").invoke(null);
            for (String event :
                    TargetProgram.named(Probe.take(), MapText.of(map)).split(" ")) {
                if (event.charAt(0) == '>') {
                    calls.merge(key(event.substring(1)), 1, Integer::sum);
                }
            }
        }
        calls.keySet().retainAll(expected(source).keySet());
        return calls;
    }

    /** Returns {@code f} for a function, without the hash that the compiler adds, or <code>f{}</code> for a lambda in it. */
    private static String key(String method) {
        Matcher lambda = LAMBDA.matcher(method);
        return lambda.matches()
                ? lambda.group(1) + "{}"
                : method.substring(method.lastIndexOf('.') + 1).replaceAll("-.*", "");
    }
}
