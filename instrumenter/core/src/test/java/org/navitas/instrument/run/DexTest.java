package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import com.android.tools.r8.CompilationMode;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import javassist.ClassPool;
import kotlin.Unit;
import kotlinx.coroutines.CoroutineScope;
import org.apache.commons.lang3.StringUtils;
import org.jf.dexlib2.dexbacked.DexBackedDexFile;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.testing.Chosen;
import org.navitas.instrument.testing.Dexed;
import org.navitas.instrument.testing.DexedTargets;
import org.navitas.instrument.testing.Libraries;
import org.navitas.instrument.testing.Linked;
import org.navitas.instrument.testing.Programs;
import org.navitas.instrument.testing.StructuredLocks;
import org.navitas.instrument.testing.TargetProgram;

/**
 * Rules of Android's runtime, without a phone: whole libraries and the targets, with probes, compiled for it by D8. What
 * D8 or dex2jar does wrong with a library as it is does not count.
 */
public class DexTest {
    /** A dex file cannot refer to more methods. */
    private static final int MOST_REFERENCES = 65_536;
    /** Methods of the runtime that probes call. */
    private static final int PROBE_METHODS = 5;

    private static final int MOST_BYTES_EACH = 80;

    private static final List<Path> JARS = Arrays.asList(
            Libraries.jarOf(Test.class),
            Libraries.jarOf(Unit.class),
            Libraries.jarOf(CoroutineScope.class),
            Libraries.jarOf(StringUtils.class),
            Libraries.jarOf(ClassPool.class));

    @ClassRule
    public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

    /** What users run, and what tests run on the oldest phones. */
    private enum Build {
        RELEASE(CompilationMode.RELEASE, 26),
        DEBUG(CompilationMode.DEBUG, 21);

        final CompilationMode mode;
        final int oldest;

        Build(CompilationMode mode, int oldest) {
            this.mode = mode;
            this.oldest = oldest;
        }
    }

    /** One library in one build, as it is and with probes. */
    private static final class Pair {
        final String name;
        final int methods;
        final Dexed plain;
        final Dexed probes;

        Pair(Path jar, Path out, int methods, Build build) throws Exception {
            name = jar.getFileName().toString().replace(".jar", "") + " "
                    + build.name().toLowerCase(Locale.ROOT) + " " + build.oldest;
            this.methods = methods;
            plain = Dexed.of(Collections.singleton(jar), JARS, build.mode, build.oldest);
            probes = Dexed.of(Collections.singleton(out), JARS, build.mode, build.oldest);
        }
    }

    private static final List<Pair> PAIRS = new ArrayList<>();

    /** Compiled once, for all tests that need them. */
    private static List<Pair> pairs() throws Exception {
        if (!PAIRS.isEmpty()) {
            return PAIRS;
        }
        Options all = Options.builder().include(Collections.singletonList("**")).build();
        for (Map.Entry<Path, Build> each : Chosen.of(builds())) {
            Path jar = each.getKey();
            Path out = path(each.getValue() + "-" + jar.getFileName());
            Summary summary =
                    BulkInstrumenter.run(Arrays.asList(new Input(jar, out, Input.MAIN, ":")), all, path("map.json"));
            assertTrue(jar + ": " + summary.methods(), summary.methods() > 1_000);
            PAIRS.add(new Pair(jar, out, summary.methods(), each.getValue()));
        }
        return PAIRS;
    }

    /** The first library in both builds, and each other in one of them. */
    private static List<Map.Entry<Path, Build>> builds() {
        List<Map.Entry<Path, Build>> builds = new ArrayList<>();
        for (Path jar : JARS) {
            builds.add(new SimpleImmutableEntry<>(jar, Build.values()[builds.size() % 2]));
        }
        builds.add(1, new SimpleImmutableEntry<>(JARS.get(0), Build.DEBUG));
        return builds;
    }

    @Test
    public void locksAreStructured() throws Exception {
        for (Pair each : pairs()) {
            assertEquals(each.name, new TreeSet<>(faults(each.plain)), new TreeSet<>(faults(each.probes)));
            assertTrue(each.name, locks(each.plain) > 0);
            assertEquals(each.name, locks(each.plain), locks(each.probes));
        }
    }

    /** Writes the table to target/dex-growth.txt. */
    @Test
    public void growthIsBounded() throws Exception {
        List<String> table = new ArrayList<>();
        table.add(String.format(
                "%-40s %9s %9s %7s %8s %11s %11s %11s",
                "library, build, minimum API level",
                "bytes",
                "probes",
                "growth",
                "methods",
                "bytes each",
                "references",
                "probes"));
        for (Pair each : pairs()) {
            long more = each.probes.bytes() - each.plain.bytes();
            table.add(String.format(
                    Locale.ROOT,
                    "%-40s %9d %9d %6.1f%% %8d %11.1f %11d %11d",
                    each.name,
                    each.plain.bytes(),
                    each.probes.bytes(),
                    100.0 * more / each.plain.bytes(),
                    each.methods,
                    (double) more / each.methods,
                    each.plain.methodReferences(),
                    each.probes.methodReferences()));
        }
        Files.write(Paths.get("target", "dex-growth.txt"), table, StandardCharsets.UTF_8);
        for (Pair each : pairs()) {
            long more = each.probes.bytes() - each.plain.bytes();
            assertTrue(each.name + ": " + more, more > 0 && more < (long) MOST_BYTES_EACH * each.methods);
            assertTrue(each.name, each.probes.methodReferences() <= MOST_REFERENCES);
            assertTrue(each.name, each.probes.methodReferences() <= each.plain.methodReferences() + PROBE_METHODS);
        }
    }

    @Test
    public void dexdumpReadsEveryFile() throws Exception {
        assumeTrue("dexdump is not installed: make test-programs", Programs.has("dexdump"));
        for (Pair each : pairs()) {
            for (Path file : each.probes.into(path("dex"))) {
                Programs.run(each.name, "dexdump", "-d", "-o", path("dump.txt").toString(), file.toString());
                assertTrue(each.name, Files.size(path("dump.txt")) > 0);
            }
        }
    }

    @Test
    public void verifierAcceptsTheWayBack() throws Exception {
        for (Pair each : pairs()) {
            Map<String, String> refused = back(each.probes);
            int classes = refused.size();
            assertEquals(
                    each.name,
                    each.plain.parsed().stream()
                            .mapToInt(dex -> dex.getClasses().size())
                            .sum(),
                    classes);
            refused.values().removeIf(Linked.FINE::equals);
            assertTrue(each.name, refused.size() < classes / 10);
            if (!refused.isEmpty()) { // also without probes?
                Map<String, String> plain = back(each.plain);
                refused.keySet().removeIf(name -> !plain.get(name).equals(Linked.FINE));
            }
            assertEquals(each.name, Collections.emptyMap(), refused);
        }
    }

    @Test
    public void targetsCallTheSameProbes() throws Exception {
        DexedTargets targets = new DexedTargets(path("targets"));
        for (Build build : Chosen.of(Arrays.asList(Build.values()))) {
            Dexed dexed = targets.compile(build.mode, build.oldest);
            assertEquals(Collections.emptyList(), faults(dexed));
            Path jar = path("targets-" + build + ".jar");
            dexed.back(jar);
            assertEquals(
                    Collections.singleton(Linked.FINE),
                    new TreeSet<>(Linked.all(jar).values()));
            try (URLClassLoader loader =
                    new URLClassLoader(new URL[] {jar.toUri().toURL()}, DexTest.class.getClassLoader())) {
                for (TargetProgram each : targets.programs) {
                    assertEquals(each.file, each.expectedTrace(), each.trace(loader, targets.map));
                }
            }
        }
    }

    private static Path path(String name) {
        return TEMPORARY.getRoot().toPath().resolve(name);
    }

    private static Map<String, String> back(Dexed dexed) throws Exception {
        Path jar = Files.createTempFile(TEMPORARY.getRoot().toPath(), "back", ".jar");
        dexed.back(jar);
        return Linked.all(jar);
    }

    private static List<String> faults(Dexed dexed) {
        List<String> faults = new ArrayList<>();
        for (DexBackedDexFile each : dexed.parsed()) {
            faults.addAll(StructuredLocks.faults(each));
        }
        return faults;
    }

    private static int locks(Dexed dexed) {
        return dexed.parsed().stream().mapToInt(StructuredLocks::locks).sum();
    }
}
