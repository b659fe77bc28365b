package org.navitas.instrument;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.navitas.runtime.Probe;

/**
 * Runs each of {@code src/test/resources/targets} with probes. Their comments carry what is expected:
 *
 * <ul>
 *   <li>{@code // release 17}: the Java versions to compile for; Kotlin's files have none
 *   <li>{@code // trace: >run >a !a <run}: the probes of one call of {@code run()}, in order (several such lines
 *       make one)
 *   <li>{@code // skipped: a bridge}: skipped methods, with the reason
 * </ul>
 *
 * <p>Methods of nested classes are named {@code Nested.method}.
 */
@RunWith(Parameterized.class)
public class TargetsTest {
  private static final Pattern TRACE = Pattern.compile("// trace: (.*)");
  private static final Pattern SKIPPED = Pattern.compile("// skipped: (.*)");
  private static final Pattern RELEASE = Pattern.compile("// release ([\\d ]+)");


  @ClassRule public static final TemporaryFolder COMPILED = new TemporaryFolder();
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final String name;
  private final String source;
  private final int release;

  public TargetsTest(String name, String source, int release) {
    this.name = name;
    this.source = source;
    this.release = release;
  }

  @Parameters(name = "{0} {2}")
  public static List<Object[]> targets() throws Exception {
    File folder = new File(TargetsTest.class.getResource("/targets").toURI());
    List<Object[]> targets = new ArrayList<>();
    for (File file : folder.listFiles()) {
      String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
      Matcher releases = RELEASE.matcher(text);
      for (String release : releases.find() ? releases.group(1).trim().split(" ") : new String[] {"0"}) {
        targets.add(new Object[] {file.getName().replace(".txt", ""), text, Integer.parseInt(release)});
      }
    }
    assertTrue(targets.size() >= 5);
    return targets;
  }

  @Test
  public void probesMatchExpectedTrace() throws Exception {
    Path in = compiled();
    Path out = temporary.getRoot().toPath().resolve("out");
    Path map = temporary.getRoot().toPath().resolve("map.json");
    Summary summary = run(in, out, map);

    assertEquals(String.join(" ", found(TRACE)), trace(out, MapText.of(map)));
    assertEquals(new TreeSet<>(found(SKIPPED)), new TreeSet<>(MapText.of(map).skipped()));
    assertEquals(Collections.emptyList(), summary.warnings());
    assertEquals(0, summary.reused());
  }

  @Test
  public void instrumentingOutputChangesNothing() throws Exception {
    Path root = temporary.getRoot().toPath();
    run(compiled(), root.resolve("once"), root.resolve("map.json"));
    byte[] map = Files.readAllBytes(root.resolve("map.json"));
    run(root.resolve("once"), root.resolve("twice"), root.resolve("map.json"));

    assertEquals(files(root.resolve("once")), files(root.resolve("twice")));
    for (String file : files(root.resolve("once"))) {
      assertArrayEquals(file, Files.readAllBytes(root.resolve("once").resolve(file)), Files.readAllBytes(root.resolve("twice").resolve(file)));
    }
    assertArrayEquals(map, Files.readAllBytes(root.resolve("map.json")));
  }

  /** Compiled once for all tests, since the Kotlin compiler is slow. */
  private Path compiled() throws Exception {
    Path folder = COMPILED.getRoot().toPath().resolve(className() + release);
    if (!Files.exists(folder)) {
      if (name.endsWith(".kt")) {
        Compiled.kotlin(folder, name, source);
      } else {
        Compiled.any(folder, release, "targets." + className(), source);
      }
    }
    return folder;
  }

  private String className() {
    return name.substring(0, name.indexOf('.'));
  }

  private static Summary run(Path in, Path out, Path map) throws InstrumentException {
    return BulkInstrumenter.run(Arrays.asList(new Input(in, out, Input.MAIN, ":")), Options.defaults(), map);
  }

  private List<String> found(Pattern pattern) {
    List<String> found = new ArrayList<>();
    for (Matcher matcher = pattern.matcher(source); matcher.find(); ) {
      found.add(matcher.group(1).trim());
    }
    return found;
  }

  private String trace(Path out, MapText map) throws Exception {
    makeLoadable(out);
    try (URLClassLoader loader = new URLClassLoader(new URL[] {out.toUri().toURL()})) {
      for (String file : files(out)) {
        if (file.endsWith(".class")) {
          // Links and verifies every class; static initialisers run only when the target uses them.
          loader.loadClass(file.replace(".class", "").replace('/', '.')).getDeclaredMethods();
        }
      }
      Class<?> target = loader.loadClass("targets." + className());
      Probe.take();
      try {
        target.getMethod("run").invoke(null);
      } catch (InvocationTargetException e) {
        throw new AssertionError("run() failed", e.getCause());
      }
      List<String> events = Probe.take();
      Deque<String> open = new ArrayDeque<>();
      for (String event : events) {
        if (event.startsWith(">") || event.startsWith("+")) {
          open.push(event.substring(1));
        } else {
          assertEquals("balanced", open.pop(), event.substring(1));
        }
      }
      assertTrue("balanced", open.isEmpty());
      return events.stream().map(event -> event.charAt(0) + map.method(Integer.parseInt(event.substring(1))))
          .collect(Collectors.joining(" "));
    }
  }

  private static void makeLoadable(Path folder) throws Exception {
    for (String file : files(folder)) {
      if (file.endsWith(".class")) {
        Files.write(folder.resolve(file), Compiled.loadable(Files.readAllBytes(folder.resolve(file))));
      }
    }
  }

  private static List<String> files(Path folder) throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).map(file -> folder.relativize(file).toString()).sorted().collect(Collectors.toList());
    }
  }
}
