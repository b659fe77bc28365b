package org.navitas.census;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.SelectedClasses;
import org.navitas.instrument.files.InstrumentException;

/** One snippet of a resource file, and its operations. */
final class Case {
    private final int number;
    final String title;
    final String code;
    /** Counts by operation. */
    final Map<String, Integer> expected = new TreeMap<>();
    /** Whether compilers can add library functions. */
    boolean open;

    private Case(int number, String title, String code) {
        this.number = number;
        this.title = title;
        this.code = code;
    }

    @Override
    public String toString() {
        return title;
    }

    static List<Case> all(String resource) throws IOException {
        StringBuilder text = new StringBuilder();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(Case.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.startsWith("# ")) {
                    text.append(line).append('\n');
                }
            }
        }
        List<Case> cases = new ArrayList<>();
        for (String part : text.toString().split("(?m)^== ")) {
            if (!part.trim().isEmpty()) {
                int end = part.indexOf('\n');
                String[] sides = part.substring(end + 1).split("(?m)^--\n");
                Case each = new Case(cases.size(), part.substring(0, end), sides[0]);
                for (String operation : sides[1].trim().split(",\\s*")) {
                    each.expect(operation);
                }
                cases.add(each);
            }
        }
        return cases;
    }

    private void expect(String operation) {
        if (operation.equals("*")) {
            open = true;
        } else if (!operation.isEmpty()) {
            String[] parts = operation.split(" x(?=[0-9]+$)");
            expected.merge(parts[0], parts.length > 1 ? Integer.parseInt(parts[1]) : 1, Integer::sum);
        }
    }

    /** Removes what compilers may add. */
    Map<String, Integer> compared(Map<String, Integer> counts) {
        Map<String, Integer> kept = new TreeMap<>(counts);
        if (open) {
            kept.keySet()
                    .removeIf(each -> !expected.containsKey(each)
                            && (OperationTable.classOf(each).equals(OperationTable.LIBRARY) || each.equals("Throw")));
        }
        return kept;
    }

    /** Writes snippets as classes of their own; returns the folder. */
    static Path write(Path root, List<Case> cases) throws IOException {
        Path sources = Files.createDirectories(root.resolve("src"));
        for (Case each : cases) {
            String text = "public class " + each.className() + " {\n" + each.code + "}\n";
            Files.write(sources.resolve(each.className() + ".java"), text.getBytes(StandardCharsets.UTF_8));
        }
        return sources;
    }

    String className() {
        return "Snippet" + number;
    }

    private static List<String> files(Path sources, List<Case> cases) {
        return cases.stream()
                .map(each -> sources.resolve(each.className() + ".java").toString())
                .collect(Collectors.toList());
    }

    static Path javac(Path sources, List<Case> cases, String folder, String... options) {
        Path classes = sources.resolveSibling(folder);
        List<String> arguments = new ArrayList<>(files(sources, cases));
        Collections.addAll(arguments, "-g", "-nowarn", "-Xlint:none", "-d", classes.toString());
        Collections.addAll(arguments, options);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0])));
        return classes;
    }

    static Path eclipse(Path sources, List<Case> cases, String release) {
        Path classes = sources.resolveSibling("eclipse" + release);
        StringWriter said = new StringWriter();
        List<String> arguments = new ArrayList<>(files(sources, cases));
        Collections.addAll(
                arguments, release, "-g", "-preserveAllLocals", "-nowarn", "-proc:none", "-d", classes.toString());
        boolean compiled = BatchCompiler.compile(
                arguments.toArray(new String[0]), new PrintWriter(said), new PrintWriter(said), null);
        assertTrue(said.toString(), compiled);
        return classes;
    }

    /** Compiles a file of Kotlin; returns the folder of classes. */
    static Path kotlinc(Path source, Path classes) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        ExitCode exit = new K2JVMCompiler()
                .exec(
                        new PrintStream(said),
                        "-no-stdlib",
                        "-no-reflect",
                        "-nowarn",
                        "-jvm-target",
                        "1.8",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        classes.toString(),
                        source.toString());
        assertEquals(said.toString(), ExitCode.OK, exit);
        return classes;
    }

    /** Returns all classes of a folder, by name. */
    static Map<String, ClassCensus> census(Path classes, Path sources) throws InstrumentException {
        List<Path> roots = sources == null ? Collections.emptyList() : Collections.singletonList(sources);
        SelectedClasses read = SelectedClasses.read(Collections.singletonList(classes), Options.defaults());
        return Census.count(read, roots, Collections.singletonList(classes), new ArrayList<>()).stream()
                .collect(Collectors.toMap(each -> each.name, each -> each));
    }

    /** Returns the method {@code m} of this snippet. */
    MethodCensus method(Map<String, ClassCensus> classes) {
        return classes.get(className()).methods.stream()
                .filter(each -> each.name.equals("m"))
                .findFirst()
                .get();
    }

    static Map<String, Integer> sum(MethodCensus census) {
        Map<String, Integer> sum = new TreeMap<>();
        census.counts.forEach(counts -> counts.forEach((name, count) -> sum.merge(name, count, Integer::sum)));
        return sum;
    }
}
