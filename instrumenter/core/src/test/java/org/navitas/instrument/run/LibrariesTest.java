package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import kotlinx.coroutines.CoroutineScope;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.testing.Chosen;
import org.navitas.instrument.testing.Libraries;
import org.navitas.instrument.testing.Linked;
import org.navitas.instrument.testing.MapText;

/** Whole libraries: the JVM accepts every instrumented class whose original it accepts. */
public class LibrariesTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    public void verifierAcceptsEveryClass() throws Exception {
        Options all = Options.builder().include(Collections.singletonList("**")).build();
        for (Path jar : Chosen.of(Libraries.JARS)) {
            Path out = temporary.getRoot().toPath().resolve(jar.getFileName());
            Path map = temporary.getRoot().toPath().resolve("map.json");
            Summary summary = BulkInstrumenter.run(Arrays.asList(new Input(jar, out, Input.MAIN, ":")), all, map);
            assertEquals(Collections.emptyList(), summary.warnings());
            assertTrue(jar + ": " + summary.methods(), summary.methods() > 4_000);
            Map<String, String> before = Linked.all(jar);
            assertEquals(before, Linked.all(out));
            assertTrue(Collections.frequency(before.values(), Linked.FINE) > before.size() * 9 / 10);

            MapText text = MapText.of(map);
            assertEquals(
                    jar.toString(),
                    new TreeSet<>(),
                    text.skipped().stream()
                            .map(each -> each.substring(each.lastIndexOf(' ') + 1))
                            .filter(reason -> !Arrays.asList("abstract", "native", "bridge", "continuation")
                                    .contains(reason))
                            .collect(Collectors.toCollection(TreeSet::new)));
            long hidden = text.skipped().stream()
                    .filter(each -> each.endsWith(" continuation"))
                    .count();
            assertTrue(
                    "classes of suspend functions: " + hidden,
                    hidden > 100 || !jar.equals(Libraries.jarOf(CoroutineScope.class)));
        }
    }

    @Test
    public void verifierAcceptsEveryClassWithCounters() throws Exception {
        Options all = Options.builder()
                .include(Collections.singletonList("**"))
                .probes(Probes.BLOCKS)
                .build();
        for (Path jar : Chosen.of(Libraries.JARS)) {
            Path out = temporary.getRoot().toPath().resolve(jar.getFileName());
            Path map = temporary.getRoot().toPath().resolve("map.json");
            Summary summary = BulkInstrumenter.run(Arrays.asList(new Input(jar, out, Input.MAIN, ":")), all, map);
            assertEquals(Collections.emptyList(), summary.warnings());
            assertTrue(jar + ": " + summary.methods(), summary.methods() > 4_000);
            assertEquals(Linked.all(jar), Linked.all(out));
            assertEquals(
                    new TreeSet<>(Arrays.asList("abstract")),
                    MapText.of(map).skipped().stream()
                            .map(each -> each.substring(each.lastIndexOf(' ') + 1))
                            .filter(reason -> !reason.equals("native"))
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }
}
