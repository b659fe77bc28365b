package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.MapText;
import org.navitas.instrument.testing.TargetProgram;

/** Runs each of {@code src/test/resources/targets} with probes. */
@RunWith(Parameterized.class)
public class TargetsTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private final TargetProgram target;

    public TargetsTest(TargetProgram target, String name, int release) {
        this.target = target;
    }

    @Parameters(name = "{1} {2}")
    public static List<Object[]> targets() throws Exception {
        List<Object[]> targets = new ArrayList<>();
        for (TargetProgram each : TargetProgram.all()) {
            targets.add(new Object[] {each, each.file, each.release});
        }
        return targets;
    }

    @Test
    public void probesMatchExpectedTrace() throws Exception {
        Path out = temporary.getRoot().toPath().resolve("out");
        Path map = temporary.getRoot().toPath().resolve("map.json");
        Summary summary = run(target.compiled(), out, map);

        assertEquals(target.expectedTrace(), trace(out, MapText.of(map)));
        assertEquals(
                new TreeSet<>(target.expectedToBeSkipped()),
                new TreeSet<>(MapText.of(map).skipped()));
        assertEquals(Collections.emptyList(), summary.warnings());
        assertEquals(0, summary.reused());
    }

    @Test
    public void instrumentingOutputChangesNothing() throws Exception {
        Path root = temporary.getRoot().toPath();
        run(target.compiled(), root.resolve("once"), root.resolve("map.json"));
        byte[] map = Files.readAllBytes(root.resolve("map.json"));
        run(root.resolve("once"), root.resolve("twice"), root.resolve("map.json"));

        assertEquals(files(root.resolve("once")), files(root.resolve("twice")));
        for (String file : files(root.resolve("once"))) {
            assertArrayEquals(
                    file,
                    Files.readAllBytes(root.resolve("once").resolve(file)),
                    Files.readAllBytes(root.resolve("twice").resolve(file)));
        }
        assertArrayEquals(map, Files.readAllBytes(root.resolve("map.json")));
    }

    private static Summary run(Path in, Path out, Path map) throws InstrumentException {
        return BulkInstrumenter.run(Arrays.asList(new Input(in, out, Input.MAIN, ":")), Options.defaults(), map);
    }

    private String trace(Path out, MapText map) throws Exception {
        makeLoadable(out);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {out.toUri().toURL()})) {
            for (String file : files(out)) {
                if (file.endsWith(".class")) {
                    // Links and verifies every class; static initialisers run only when the target uses them.
                    loader.loadClass(file.replace(".class", "").replace('/', '.'))
                            .getDeclaredMethods();
                }
            }
            return target.trace(loader, map);
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
            return files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
