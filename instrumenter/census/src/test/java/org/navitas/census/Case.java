package org.navitas.census;

import static org.junit.Assert.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
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
import javax.tools.ToolProvider;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;
import org.navitas.instrument.Options;
import org.navitas.instrument.SelectedClasses;

/** One snippet of a resource file, and its operations. */
final class Case {
  final String title;
  final String code;
  /** Counts by operation. */
  final Map<String, Integer> expected = new TreeMap<>();
  /** Whether compilers can add library functions. */
  boolean open;

  private Case(String title, String code) {
    this.title = title;
    this.code = code;
  }

  @Override
  public String toString() {
    return title;
  }

  static List<Case> all(String resource) throws IOException {
    StringBuilder text = new StringBuilder();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(Case.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
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
        Case each = new Case(part.substring(0, end), sides[0]);
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
      kept.keySet().removeIf(each -> !expected.containsKey(each)
          && (OperationTable.classOf(each).equals(OperationTable.LIBRARY) || each.equals("Throw")));
    }
    return kept;
  }

  /** Writes the snippet as the class {@code Snippet}; returns its folder. */
  Path write(Path root) throws IOException {
    Path sources = Files.createDirectories(root.resolve("src"));
    Files.write(sources.resolve("Snippet.java"), ("public class Snippet {\n" + code + "}\n").getBytes(StandardCharsets.UTF_8));
    return sources;
  }

  static Path javac(Path root, Path sources, String... options) {
    Path classes = root.resolve("classes");
    List<String> arguments = new ArrayList<>();
    Collections.addAll(arguments, "-g", "-nowarn", "-Xlint:none", "-d", classes.toString(), sources.resolve("Snippet.java").toString());
    Collections.addAll(arguments, options);
    int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0]));
    assertTrue("javac " + sources, code == 0);
    return classes;
  }

  static Path ecj(Path root, Path sources) {
    Path classes = root.resolve("classes");
    StringWriter said = new StringWriter();
    String[] arguments = {"-1.8", "-g", "-preserveAllLocals", "-nowarn", "-proc:none", "-d", classes.toString(), sources.resolve("Snippet.java").toString()};
    assertTrue(said.toString(), BatchCompiler.compile(arguments, new PrintWriter(said), new PrintWriter(said), null));
    return classes;
  }

  /** Returns the census of the methods of a name. */
  static List<MethodCensus> census(Path classes, Path sources, String method) throws Exception {
    List<Path> roots = sources == null ? Collections.emptyList() : Collections.singletonList(sources);
    List<MethodCensus> found = new ArrayList<>();
    SelectedClasses read = SelectedClasses.read(Collections.singletonList(classes), Options.defaults());
    for (ClassCensus each : Census.count(read, roots, Collections.singletonList(classes), new ArrayList<>())) {
      each.methods.stream().filter(one -> each.name.startsWith("Snippet") && !each.name.contains("$") && one.name.equals(method)).forEach(found::add);
    }
    return found;
  }

  static Map<String, Integer> sum(MethodCensus census) {
    Map<String, Integer> sum = new TreeMap<>();
    census.counts.forEach(counts -> counts.forEach((name, count) -> sum.merge(name, count, Integer::sum)));
    return sum;
  }
}
