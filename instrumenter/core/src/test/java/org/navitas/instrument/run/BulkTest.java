package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.map.MapClass;
import org.navitas.instrument.map.MethodMap;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.MapText;

/** Runs over folders: selection, numbering, copying, reuse, removal and refusal. */
public class BulkTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path in;
    private Path out;
    private Path map;

    @Before
    public void folders() {
        Path root = temporary.getRoot().toPath();
        in = root.resolve("in");
        out = root.resolve("out");
        map = root.resolve("maps/map.json");
    }

    @Test
    public void numbersMethodsByClassNameThenFileOrder() throws Exception {
        compile(in, "z.Last", "void b() {} void a() {}");
        compile(in, "a.First", "int f() { return 1; }");
        Summary summary = run();
        assertEquals(Arrays.asList("<init>", "f", "<init>", "b", "a"), map().methods());
        assertEquals(Arrays.asList("a.First", "z.Last"), map().classes());
        assertEquals(2, summary.classes());
        assertEquals(5, summary.methods());
        assertEquals(2, summary.rewritten());
        assertEquals("map_id=" + summary.mapId() + "\n", text(out.resolve(MethodMap.PROPERTIES)));
        assertTrue(map().text.startsWith("{\"schema_version\": 1, \"map_id\": \"" + summary.mapId() + "\""));
        assertTrue(
                map().text,
                map().text.contains("\"source\": \"main\", \"module\": \":app\", \"file\": \"First.java\""));
        assertTrue(map().text, map().text.contains("\"name\": \"f\", \"descriptor\": \"()I\", \"line\": 1}"));
    }

    @Test
    public void sameClassesGiveSameMapAndBytes() throws Exception {
        compile(in, "a.First", "int f() { return 1; }");
        Summary first = run();
        Path elsewhere = temporary.getRoot().toPath().resolve("elsewhere");
        Path otherMap = elsewhere.resolve("map.json");
        Summary second = BulkInstrumenter.run(
                inputs(new Input(in, elsewhere.resolve("out"), Input.MAIN, ":app")), Options.defaults(), otherMap);
        assertEquals(first.mapId(), second.mapId());
        assertArrayEquals(Files.readAllBytes(map), Files.readAllBytes(otherMap));
        assertArrayEquals(
                Files.readAllBytes(out.resolve("a/First.class")),
                Files.readAllBytes(elsewhere.resolve("out/a/First.class")));
    }

    @Test
    public void kindsOfProbesHaveMapsOfTheirOwn() throws Exception {
        compile(in, "a.First", "int f() { return 1; }");
        byte[] original = Files.readAllBytes(in.resolve("a/First.class"));
        Summary methods = run();
        byte[] probed = Files.readAllBytes(out.resolve("a/First.class"));
        assertFalse(map().text, map().text.contains("\"probes\""));
        Summary blocks = run(Options.builder().probes(Probes.BLOCKS).build());
        assertNotEquals(methods.mapId(), blocks.mapId());
        assertEquals(1, blocks.rewritten());
        assertFalse(Arrays.equals(probed, Files.readAllBytes(out.resolve("a/First.class"))));
        assertTrue(
                map().text,
                map().text
                        .startsWith("{\"schema_version\": 1, \"map_id\": \"" + blocks.mapId()
                                + "\", \"probes\": \"blocks\",\n"));
        assertTrue(map().text, map().text.contains("\"sha256\": \"" + Io.sha256Hex(original)));
        assertEquals(0, run(Options.builder().probes(Probes.BLOCKS).build()).rewritten());
        byte[] bytes = Files.readAllBytes(out.resolve("a/First.class"));
        Files.delete(out.resolve("a/First.class"));
        run(Options.builder().probes(Probes.BLOCKS).build()); // without the class in memory
        assertArrayEquals(bytes, Files.readAllBytes(out.resolve("a/First.class")));

        Summary none = run(Options.builder().probes(Probes.NONE).build());
        assertEquals(Collections.emptyList(), none.warnings());
        assertArrayEquals(original, Files.readAllBytes(out.resolve("a/First.class")));
        assertEquals(Arrays.asList("a.First"), map().classes());
        assertEquals(Collections.emptyList(), map().methods());
        assertEquals(Collections.emptyList(), map().skipped());
        assertTrue(map().text, map().text.contains("\"probes\": \"none\""));
    }

    @Test
    public void refusesAnEarlierMapOfAnotherKind() throws Exception {
        compile(in, "a.First", "int f() { return 1; }");
        run();
        Input input = new Input(in, out.resolveSibling("more"), Input.TEST, ":app");
        Path both = map.resolveSibling("both.json");
        Options blocks = Options.builder().probes(Probes.BLOCKS).build();
        InstrumentException refused =
                assertThrows(InstrumentException.class, () -> BulkInstrumenter.run(inputs(input), blocks, both, map));
        assertTrue(refused.getMessage(), refused.getMessage().contains("have probes of kind 'methods', not 'blocks'"));
        run(blocks);
        BulkInstrumenter.run(inputs(input), blocks, both, map);
        assertThrows(
                InstrumentException.class, () -> BulkInstrumenter.run(inputs(input), Options.defaults(), both, map));
    }

    @Test
    public void refusesHooksWithoutProbesOfMethods() {
        Options.Builder builder = Options.builder().hooks(true, false).probes(Probes.BLOCKS);
        assertThrows(IllegalArgumentException.class, builder::build);
        assertThrows(IllegalArgumentException.class, () -> Probes.of("lines"));
    }

    @Test
    public void mapContinuesEarlierMap() throws Exception {
        compile(in, "z.App", "void b() {} void a() {}");
        Summary app = run();
        Path tests = temporary.getRoot().toPath().resolve("tests");
        compile(tests, "a.AppTest", "void checks() {}");
        compile(tests, "z.App", "void b() {} void more() {}");
        Path both = map.resolveSibling("both.json");
        Input input = new Input(tests, temporary.getRoot().toPath().resolve("tests-out"), Input.TEST, ":app");
        Summary summary = BulkInstrumenter.run(inputs(input), Options.defaults(), both, map);
        assertEquals(
                Arrays.asList("<init>", "b", "a", "<init>", "checks", "more"),
                MapText.of(both).methods());
        assertEquals(
                Arrays.asList("z.App", "a.AppTest", "z.App"), MapText.of(both).classes());
        assertEquals(3, summary.methods());
        assertNotEquals(app.mapId(), summary.mapId());
        assertEquals(
                "the same once more",
                summary.mapId(),
                BulkInstrumenter.run(inputs(input), Options.defaults(), both, map)
                        .mapId());
        assertEquals(map().ids(), MapText.of(both).ids().subList(0, 3));
    }

    @Test
    public void readsAnEarlierMapInAnyLayout() throws Exception {
        compile(in, "z.App", "void b() {} void a() {}");
        run();
        Path tests = temporary.getRoot().toPath().resolve("tests");
        compile(tests, "a.AppTest", "void checks() {}");
        Path both = map.resolveSibling("both.json");
        Input input = new Input(tests, temporary.getRoot().toPath().resolve("tests-out"), Input.TEST, ":app");
        String expected = BulkInstrumenter.run(inputs(input), Options.defaults(), both, map)
                .mapId();
        String written = text(map);
        int id = map().ids().get(0);
        write(
                map,
                written.replaceAll("[ \n]", "")
                        .replace("{\"id\"", "{\"new\":[{\"id\":1}],\n\n  \"id\"")
                        .replace("\"a\"", "\"\\u0061\""));
        assertEquals(
                expected,
                BulkInstrumenter.run(inputs(input), Options.defaults(), both, map)
                        .mapId());
        for (String damaged : Arrays.asList(
                written.replace("\"id\": " + (id + 1), "\"id\": " + id),
                written.replace("\"id\": " + id, "\"id\": 4194304"),
                written.replace("\"id\": " + id, "\"id\": -1"),
                written.replace("\"id\": " + id, "\"id\": " + id + ".5"),
                written.replace("\"id\": " + id, "\"id\": " + (id + (1L << 32))),
                written.replace("\"name\": \"b\"", "\"name\": \"a\""),
                written.replace("\"class\": \"z.App\"", "\"class\": \"z.Other\""),
                written.replace("\"schema_version\": 1", "\"schema_version\": 2"),
                written.replace("\"map_id\"", "\"id\""),
                written.replace("\"name\": \"b\"", "\"name\": 5"),
                written.substring(0, written.length() - 4),
                "[]",
                "")) {
            write(map, damaged);
            InstrumentException refused = assertThrows(
                    damaged,
                    InstrumentException.class,
                    () -> BulkInstrumenter.run(inputs(input), Options.defaults(), both, map));
            assertTrue(refused.getMessage(), refused.getMessage().contains(map + ": not a method map of this version"));
        }
    }

    @Test
    public void anEditRewritesOnlyTheClassesThatChanged() throws Exception {
        List<String> sources = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            sources.addAll(Arrays.asList(
                    "p.C" + i, source("p.C" + i, "int f() { return " + i + "; } int g() { return f(); }")));
        }
        Compiled.into(in, 8, sources.toArray(new String[0]));
        run();
        Path tests = temporary.getRoot().toPath().resolve("tests");
        Path testsOut = temporary.getRoot().toPath().resolve("tests-out");
        compile(tests, "p.CTest", "void checks() {}");
        Path both = map.resolveSibling("both.json");
        Input input = new Input(tests, testsOut, Input.TEST, ":app");
        BulkInstrumenter.run(inputs(input), Options.defaults(), both, map);
        Map<String, String> before = hashes(out);
        Map<String, String> testsBefore = hashes(testsOut);
        compile(in, "p.C17", "int f() { return 1; } int g() { return f(); } int more() { return 2; }");
        compile(in, "p.B", "int f() { return 1; }");
        Summary edited = run();
        assertEquals(2, edited.rewritten());
        assertEquals(40 - 1, edited.reused());
        Map<String, String> after = hashes(out);
        after.entrySet().removeAll(before.entrySet());
        assertEquals(
                new TreeSet<>(Arrays.asList("p/B.class", "p/C17.class", MethodMap.PROPERTIES)),
                new TreeSet<>(after.keySet()));
        assertEquals(
                0,
                BulkInstrumenter.run(inputs(input), Options.defaults(), both, map)
                        .rewritten());
        Map<String, String> testsAfter = hashes(testsOut);
        testsAfter.entrySet().removeAll(testsBefore.entrySet());
        assertEquals(Collections.singleton(MethodMap.PROPERTIES), testsAfter.keySet());
    }

    private static Map<String, String> hashes(Path folder) throws IOException {
        Map<String, String> hashes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                hashes.put(folder.relativize(file).toString().replace('\\', '/'), Io.sha256Hex(file));
            }
        }
        return hashes;
    }

    @Test
    public void mapClassReturnsItsId() throws Exception {
        byte[] bytes = MapClass.bytes("0123456789abcdef");
        Class<?> made = new ClassLoader(BulkTest.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(null, bytes, 0, bytes.length);
            }
        }.define();
        assertEquals(MapClass.PATH, made.getName().replace('.', '/') + ".class");
        assertEquals(
                "0123456789abcdef", made.getDeclaredConstructor().newInstance().toString());
    }

    @Test
    public void copiesOtherFiles() throws Exception {
        compile(in, "a.First", "");
        write(in.resolve("deep/er/text.txt"), "text");
        run();
        assertEquals("text", text(out.resolve("deep/er/text.txt")));
    }

    @Test
    public void reusesUnchangedClasses() throws Exception {
        compile(in, "a.First", "int f() { return 1; }");
        compile(in, "z.Last", "");
        run();
        Path first = out.resolve("a/First.class");
        FileTime before = Files.getLastModifiedTime(first);
        FileTime mapBefore = Files.getLastModifiedTime(map);
        Summary second = run();
        assertEquals(0, second.rewritten());
        assertEquals(2, second.reused());
        assertEquals(before, Files.getLastModifiedTime(first));
        assertEquals(mapBefore, Files.getLastModifiedTime(map));

        compile(in, "z.Last", "void more() {}");
        Summary third = run();
        assertEquals(1, third.rewritten());
        assertEquals(1, third.reused());
        assertEquals(4, third.methods());
        assertNotEquals(second.mapId(), third.mapId());
    }

    @Test
    public void incrementalRunEqualsCleanRun() throws Exception {
        compile(in, "m.Middle", "int f() { return 1; }");
        compile(in, "z.Last", "void g() {}");
        run();
        compile(in, "a.First", "void comesBeforeTheOthers() {}");
        Files.delete(in.resolve("z/Last.class"));
        Summary incremental = run();
        assertEquals(1, incremental.rewritten());
        assertFalse(Files.exists(out.resolve("z")));

        Path clean = temporary.getRoot().toPath().resolve("clean");
        Summary anew = BulkInstrumenter.run(
                inputs(new Input(in, clean, Input.MAIN, ":app")),
                Options.defaults(),
                temporary.getRoot().toPath().resolve("other.json"));
        assertEquals(anew.mapId(), incremental.mapId());
        for (String file : Arrays.asList("a/First.class", "m/Middle.class", MethodMap.PROPERTIES)) {
            assertArrayEquals(file, Files.readAllBytes(clean.resolve(file)), Files.readAllBytes(out.resolve(file)));
        }
    }

    @Test
    public void rewritesModifiedOutputs() throws Exception {
        compile(in, "a.First", "");
        compile(in, "b.Second", "");
        run();
        byte[] right = Files.readAllBytes(out.resolve("a/First.class"));
        write(out.resolve("a/First.class"), "broken");
        Files.delete(out.resolve("b/Second.class"));
        assertEquals(2, run().rewritten());
        assertArrayEquals(right, Files.readAllBytes(out.resolve("a/First.class")));
        assertTrue(Files.exists(out.resolve("b/Second.class")));
    }

    @Test
    public void otherOptionsApplyToReusableClasses() throws Exception {
        compile(in, "a.First", "");
        compile(in, "b.Second", "");
        byte[] original = Files.readAllBytes(in.resolve("b/Second.class"));
        run();
        Summary summary =
                run(Options.builder().exclude(Collections.singletonList("b.**")).build());
        assertEquals(1, summary.classes());
        assertArrayEquals(original, Files.readAllBytes(out.resolve("b/Second.class")));
        assertEquals(Collections.singletonList("b.Second excluded"), map().skipped());
        assertEquals(2, run().classes());
    }

    @Test
    public void damagedStateOnlyCostsTime() throws Exception {
        compile(in, "a.First", "");
        run();
        Path state = RunState.fileFor(map);
        byte[] bytes = Files.readAllBytes(state);
        for (int length : new int[] {0, 10, bytes.length - 1}) {
            Files.write(state, Arrays.copyOf(bytes, length));
            assertEquals(1, run().rewritten());
        }
        bytes[20] ^= 1;
        Files.write(state, bytes);
        assertEquals(1, run().rewritten());
        assertEquals(1, run().reused());
    }

    @Test
    public void keepsForeignFilesInOutput() throws Exception {
        compile(in, "a.First", "");
        write(in.resolve("gone.txt"), "x");
        write(out.resolve("others.txt"), "mine");
        run();
        Files.delete(in.resolve("gone.txt"));
        run();
        assertFalse(Files.exists(out.resolve("gone.txt")));
        assertEquals("mine", text(out.resolve("others.txt")));
    }

    @Test
    public void removesOutputsOfDeletedInputs() throws Exception {
        Path second = temporary.getRoot().toPath().resolve("second");
        Path secondOut = temporary.getRoot().toPath().resolve("second-out");
        compile(in, "a.First", "");
        compile(second, "b.Second", "");
        BulkInstrumenter.run(
                inputs(new Input(in, out, Input.MAIN, ":app"), new Input(second, secondOut, Input.TEST, ":app")),
                Options.defaults(),
                map);
        run(); // still there: only left out this time
        assertTrue(Files.exists(secondOut.resolve("b/Second.class")));
        BulkInstrumenter.run(
                inputs(new Input(in, out, Input.MAIN, ":app"), new Input(second, secondOut, Input.TEST, ":app")),
                Options.defaults(),
                map);
        Files.delete(second.resolve("b/Second.class"));
        Files.delete(second.resolve("b"));
        Files.delete(second);
        run();
        assertFalse(Files.exists(secondOut.resolve("b")));
    }

    @Test
    public void severalFoldersShareOneOutput() throws Exception {
        Path second = temporary.getRoot().toPath().resolve("second");
        compile(in, "a.First", "");
        compile(second, "a.First", "void another() {}");
        compile(second, "b.Second", "");
        Summary summary = BulkInstrumenter.run(
                inputs(new Input(in, out, Input.MAIN, ":app"), new Input(second, out, Input.TEST, ":app")),
                Options.defaults(),
                map);
        assertEquals(Arrays.asList("<init>", "another", "<init>"), map().methods());
        assertTrue(Files.exists(out.resolve("b/Second.class")));
        assertEquals(2, summary.warnings().size());
        assertTrue(summary.warnings().toString(), summary.warnings().get(0).contains(second + "@a/First.class"));
    }

    @Test
    public void instrumentsCompiledClassesOfAnyPackage() throws Exception {
        compile(in, "org.hamcrest.Mine", "");
        Path tests = temporary.getRoot().toPath().resolve("tests");
        compile(tests, "org.junit.MineTest", "");
        Summary summary = BulkInstrumenter.run(
                inputs(
                        new Input(in, out, Input.MAIN, ":app"),
                        new Input(tests, out.resolveSibling("t"), Input.TEST, ":app")),
                Options.defaults(),
                map);
        assertEquals(Arrays.asList("org.hamcrest.Mine", "org.junit.MineTest"), map().classes());
        assertEquals(Collections.emptyMap(), summary.frameworks());
        assertEquals(Collections.emptyList(), summary.warnings());
    }

    @Test
    public void countsFrameworksInJar() throws Exception {
        compile(in, "kotlin.Thing", "");
        compile(in, "kotlin.Other", "");
        compile(in, "org.hamcrest.Matcher", "");
        compile(in, "mine.Own", "");
        compile(in, "org.navitas.runtime.Own", "");
        List<Input> all = inputs(new Input(in, out, Input.MAIN, ":app", true));
        Summary summary = BulkInstrumenter.run(all, Options.defaults(), map);
        assertEquals(Collections.singletonList("mine.Own"), map().classes());
        assertEquals(4, summary.seen());
        assertEquals("{kotlin.**=2, org.hamcrest.**=1}", summary.frameworks().toString());
        Summary included = BulkInstrumenter.run(
                all, Options.builder().include(summary.frameworks().keySet()).build(), map);
        assertEquals(Arrays.asList("kotlin.Other", "kotlin.Thing", "org.hamcrest.Matcher"), map().classes());
        assertEquals(Collections.emptyMap(), included.frameworks());
    }

    @Test
    public void skipsFrameworksAndDependenciesUnlessIncluded() throws Exception {
        compile(in, "kotlin.Thing", "");
        compile(in, "org.junitlike.Mine", "");
        Path dependency = temporary.getRoot().toPath().resolve("dependency");
        compile(dependency, "third.Party", "");
        compile(dependency, "org.navitas.runtime.Own", "");
        List<Input> all = inputs(
                new Input(in, out, Input.MAIN, ":app", true),
                new Input(dependency, temporary.getRoot().toPath().resolve("d"), Input.DEPENDENCY, ""));
        BulkInstrumenter.run(all, Options.defaults(), map);
        assertEquals(Collections.singletonList("org.junitlike.Mine"), map().classes());
        assertEquals(Collections.emptyList(), map().skipped());
        BulkInstrumenter.run(
                all, Options.builder().include(Collections.singletonList("**")).build(), map);
        assertEquals(Arrays.asList("kotlin.Thing", "org.junitlike.Mine", "third.Party"), map().classes());
    }

    @Test
    public void namesLibrariesThatGetProbes() throws Exception {
        compile(in, "org.example.Mine", "");
        Path library = temporary.getRoot().toPath().resolve("library");
        compile(library, "org.lib.Theirs", "void f() {}");
        List<Input> all = inputs(
                new Input(in, out, Input.MAIN, ":app"),
                new Input(library, out.resolveSibling("l"), Input.DEPENDENCY, ":app"));
        Summary summary = BulkInstrumenter.run(
                all,
                Options.builder().include(Collections.singletonList("org.**")).build(),
                map);
        assertEquals(
                Collections.singletonList(
                        "libraries have probes, since include patterns match them; probes of small methods cost most:"
                                + " library (2 methods)"),
                summary.warnings());
        Options mine = Options.builder()
                .include(Collections.singletonList("org.example.*"))
                .build();
        assertEquals(
                Collections.emptyList(), BulkInstrumenter.run(all, mine, map).warnings());
    }

    @Test
    public void namesPatternsThatMatchNothing() throws Exception {
        compile(in, "org.example.Sorter", "void sort() {}");
        compile(in, "org.other.Thing", "");
        compile(in, "a.Short", "");
        List<String> includes = Arrays.asList(
                "org.exmaple.**",
                "Sorter",
                "example.*",
                "org.example.Sortr",
                "org.other",
                "a.Shrot",
                "no.such.*Service",
                "org.*.*");
        List<String> excludes =
                Arrays.asList("org.exmple.**", "org.example.Sorter#sort", "org.example.Sorter#sor", "**.Thing");
        Summary summary =
                run(Options.builder().include(includes).exclude(excludes).build());
        assertEquals(
                Arrays.asList(
                        "no class matches the include pattern 'org.exmaple.**' (nearest: org.example.**)",
                        "no class matches the include pattern 'Sorter' (nearest: org.example.Sorter)",
                        "no class matches the include pattern 'example.*' (nearest: org.example.*)",
                        "no class matches the include pattern 'org.example.Sortr' (nearest: org.example.Sorter)",
                        "no class matches the include pattern 'org.other' (nearest: org.other.**)",
                        "no class matches the include pattern 'a.Shrot' (nearest: a.Short)",
                        "no class matches the include pattern 'no.such.*Service'"),
                new ArrayList<>(summary.unusedIncludes().values()));
        assertEquals(
                Arrays.asList(
                        "no class matches the exclude pattern 'org.exmple.**' (nearest: org.example.**)",
                        "no method of a class with probes matches the exclude pattern 'org.example.Sorter#sor'"),
                new ArrayList<>(summary.unusedExcludes().values()));
    }

    @Test
    public void patterns() throws Exception {
        assertTrue(matches("a.b.C", "a.b.C"));
        assertTrue(matches("a.b.C", "a.b.C$Nested$1"));
        assertFalse(matches("a.b.C", "a.b.Cat"));
        assertFalse(matches("a.b.C", "a-b.C"));
        assertTrue(matches("a.*", "a.C"));
        assertFalse(matches("a.*", "a.b.C"));
        assertTrue(matches("a.**", "a.b.C"));
        assertTrue(matches("**.C", "a.b.C"));
        assertTrue(matches("*.b.*Test", "a.b.SortTest"));
        assertFalse(matches("a.[bc].*", "a.b.C"));
        for (String wrong : Arrays.asList("", "a/b/C")) {
            InstrumentException e = assertThrows(InstrumentException.class, () -> matches(wrong, "a.b.C"));
            assertTrue(e.getMessage(), e.getMessage().startsWith("pattern '" + wrong + "'"));
        }
    }

    @Test
    public void newerClassesAreCopiedAndOthersGetProbes() throws Exception {
        compile(in, "a.First", "");
        compile(in, "a.Newer", "");
        Path newer = in.resolve("a/Newer.class");
        byte[] bytes = Files.readAllBytes(newer);
        bytes[7] = ClassScan.NEWEST_MAJOR + 1;
        Files.write(newer, bytes);
        Summary summary = run();
        assertEquals(Collections.singletonList("a.Newer unsupported_version"), map().skipped());
        assertEquals(
                Collections.singletonList("skipped, newer than Java 25 (compile for an older target): " + in
                        + "@a/Newer.class (class file version 70)"),
                summary.warnings());
        assertArrayEquals(bytes, Files.readAllBytes(out.resolve("a/Newer.class")));
        assertEquals(1, summary.rewritten());
    }

    @Test
    public void reportsAndCopiesMalformedClasses() throws Exception {
        compile(in, "a.First", "");
        write(in.resolve("bad/Broken.class"), "no class at all");
        write(in.resolve("module-info.class"), "nor this");
        Summary summary = run();
        assertEquals("no class at all", text(out.resolve("bad/Broken.class")));
        assertEquals(Collections.singletonList("bad.Broken malformed"), map().skipped());
        assertEquals(1, summary.warnings().size());
        assertEquals(
                "skipped, malformed class file: " + in + "@bad/Broken.class (not a class file)",
                summary.warnings().get(0));
        assertEquals(1, run().warnings().size());
    }

    @Test
    public void refusesPartlyInstrumentedInput() throws Exception {
        compile(in, "a.First", "");
        run();
        Path mixed = temporary.getRoot().toPath().resolve("mixed");
        compile(mixed, "b.Second", "");
        Files.createDirectories(mixed.resolve("a"));
        Files.copy(out.resolve("a/First.class"), mixed.resolve("a/First.class"));
        assertRefused(
                mixed + "@a/First.class: already has probes of another map", mixed, out.resolveSibling("mixed-out"));
        // A class that no pattern selects has probes too.
        Options onlySecond =
                Options.builder().include(Collections.singletonList("b.**")).build();
        assertThrows(
                InstrumentException.class,
                () -> BulkInstrumenter.run(
                        inputs(new Input(mixed, out.resolveSibling("mixed-out"), Input.MAIN, ":app")),
                        onlySecond,
                        map));
        assertFalse(Files.exists(out.resolveSibling("mixed-out")));
    }

    @Test
    public void instrumentedClassesNeedTheirMap() throws Exception {
        compile(in, "a.First", "");
        String id = run().mapId();
        Path other = map.resolveSibling("other.json");
        InstrumentException e = assertThrows(
                InstrumentException.class,
                () -> BulkInstrumenter.run(
                        inputs(new Input(out, out.resolveSibling("again"), Input.MAIN, ":app")),
                        Options.defaults(),
                        other));
        assertTrue(
                e.getMessage(),
                e.getMessage()
                        .endsWith("@a/First.class: is already instrumented, and " + other + " is not its method map, "
                                + id + "; use that map, or the original classes"));
        assertFalse(Files.exists(other));
    }

    @Test
    public void reportsLinkLoop() throws Exception {
        compile(in, "a.First", "");
        Files.createSymbolicLink(in.resolve("a/loop"), in);
        assertRefused(in + ": the link " + in.resolve("a/loop") + " leads to a folder that contains it", in, out);
    }

    @Test
    public void copiesJarsInFolderWithWarning() throws Exception {
        compile(in, "a.First", "");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(in.resolve("nested.jar")))) {
            zip.putNextEntry(new ZipEntry("a.txt"));
        }
        write(in.resolve("text.jar"), "no jar");
        assertEquals(
                Collections.singletonList("a jar within an input, copied without probes (make it an input of its own): "
                        + in + "@nested.jar"),
                run().warnings());
        assertArrayEquals(Files.readAllBytes(in.resolve("nested.jar")), Files.readAllBytes(out.resolve("nested.jar")));
    }

    @Test
    public void skipsTrivialMethodsOnRequest() throws Exception {
        compile(
                in,
                "a.Bean",
                "int x; static String s; Object o; static final long C = 5; int getX() { return x; } void setX(int v)"
                    + " { x = v; }Bean self(int v) { x = v; return this; } static String s() { return s; } long"
                    + " constant() { return C; } String o() { return (String) o; }void nothing() {} synchronized int"
                    + " waits() { return x; } int next() { return x + 1; } int call() { return getX(); } int[] made()"
                    + " { return new int[1]; }");
        run();
        byte[] all = Files.readAllBytes(out.resolve("a/Bean.class"));
        Options skip = Options.builder().skipTrivial(true).build();
        Summary summary = run(skip);
        assertEquals(1, summary.rewritten());
        assertEquals(Arrays.asList("<init>", "waits", "next", "call", "made"), map().methods());
        assertEquals(
                Arrays.asList(
                        "getX trivial",
                        "setX trivial",
                        "self trivial",
                        "s trivial",
                        "constant trivial",
                        "o trivial",
                        "nothing trivial"),
                map().skipped());
        byte[] some = Files.readAllBytes(out.resolve("a/Bean.class"));
        assertEquals(1, run(skip).reused());
        Files.delete(out.resolve("a/Bean.class"));
        run(skip); // done again from what the state remembers
        assertArrayEquals(some, Files.readAllBytes(out.resolve("a/Bean.class")));
        assertEquals(1, run().rewritten());
        assertArrayEquals(all, Files.readAllBytes(out.resolve("a/Bean.class")));
    }

    @Test
    public void hooksAreAChoiceAndLibrariesAnother() throws Exception {
        String body = "int f() throws Exception { return new java.io.FileInputStream(\"x\").read(); }";
        compile(in, "a.App", body);
        Path library = temporary.getRoot().toPath().resolve("library");
        compile(library, "q.Library", body);
        compile(library, "q.Plain", "int f() { return 1; }");
        compile(library, "okio.Files", body);
        Path libraryOut = temporary.getRoot().toPath().resolve("library-out");
        List<Input> both = inputs(
                new Input(in, out, Input.MAIN, ":app"), new Input(library, libraryOut, Input.DEPENDENCY, ":app"));
        Summary off = BulkInstrumenter.run(both, Options.defaults(), map);
        byte[] probed = Files.readAllBytes(out.resolve("a/App.class"));
        assertFalse(hooked(out.resolve("a/App.class")));
        assertFalse(hooked(libraryOut.resolve("okio/Files.class")));

        Options hooks = Options.builder().hooks(true, false).build();
        Summary on = BulkInstrumenter.run(both, hooks, map);
        assertEquals(off.mapId(), on.mapId());
        assertTrue(hooked(out.resolve("a/App.class")));
        assertTrue(hooked(libraryOut.resolve("okio/Files.class")));
        assertFalse(hooked(libraryOut.resolve("q/Library.class")));
        assertEquals(2, BulkInstrumenter.run(both, hooks, map).reused());

        BulkInstrumenter.run(both, Options.builder().hooks(true, true).build(), map);
        assertTrue(hooked(libraryOut.resolve("q/Library.class")));
        assertArrayEquals(
                Files.readAllBytes(library.resolve("q/Plain.class")),
                Files.readAllBytes(libraryOut.resolve("q/Plain.class")));

        BulkInstrumenter.run(both, Options.defaults(), map);
        assertArrayEquals(probed, Files.readAllBytes(out.resolve("a/App.class")));
        assertFalse(hooked(libraryOut.resolve("q/Library.class")));
    }

    private static boolean hooked(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("org/navitas/hooks/");
    }

    @Test
    public void excludesMethodsByName() throws Exception {
        compile(
                in,
                "a.Work",
                "int f() { return 1; } int f(int x) { return x; } int g() { return 2; } int fit() { return 3; } "
                        + "class Inner { int f() { return 4; } }");
        run();
        Options exclude = Options.builder()
                .exclude(Collections.singletonList("**.Work#f"))
                .build();
        assertEquals("the inner class keeps its ids", 1, run(exclude).rewritten());
        assertEquals(Arrays.asList("<init>", "g", "fit", "Inner.<init>", "Inner.f"), map().methods());
        assertEquals(Arrays.asList("f excluded", "f excluded"), map().skipped());
        byte[] some = Files.readAllBytes(out.resolve("a/Work.class"));
        assertEquals(2, run(exclude).reused());
        Files.delete(out.resolve("a/Work.class"));
        run(exclude); // done again from what the state remembers
        assertArrayEquals(some, Files.readAllBytes(out.resolve("a/Work.class")));
        Options other = Options.builder()
                .exclude(Collections.singletonList("a.Work#f*"))
                .build();
        run(other);
        assertEquals(Arrays.asList("<init>", "g", "Inner.<init>", "Inner.f"), map().methods());
        Options included =
                Options.builder().include(Collections.singletonList("a.Work#f")).build();
        assertThrows(InstrumentException.class, () -> run(included));
    }

    @Test
    public void warnsIfNothingIsInstrumented() throws Exception {
        compile(in, "kotlin.Thing", "");
        Summary none =
                BulkInstrumenter.run(inputs(new Input(in, out, Input.MAIN, ":app", true)), Options.defaults(), map);
        assertEquals(
                Collections.singletonList(
                        "no method was instrumented: 1 class of known frameworks (include kotlin.** to instrument)"),
                none.warnings());
        Summary summary = run(Options.builder()
                .include(Collections.singletonList("no.such.**"))
                .build());
        assertEquals(
                Collections.singletonList("no method was instrumented: "
                        + "1 class that no include pattern matches: no.such.** (include kotlin.** to instrument)"),
                summary.warnings());
        Summary excluded = run(Options.builder()
                .exclude(Collections.singletonList("kotlin.T*"))
                .build());
        assertEquals(
                Collections.singletonList("no method was instrumented: 1 class excluded by kotlin.T*"),
                excluded.warnings());
    }

    @Test
    public void countsClassesWithoutProbesByReason() throws Exception {
        compile(in, "a.Newer", "");
        compile(in, "a.Newest", "");
        for (String name : Arrays.asList("a/Newer.class", "a/Newest.class")) {
            byte[] bytes = Files.readAllBytes(in.resolve(name));
            bytes[7] = 70; // Java 26
            Files.write(in.resolve(name), bytes);
        }
        compile(in, "kotlin.Thing", "");
        write(in.resolve("a/Broken.class"), "no class");
        Summary summary =
                BulkInstrumenter.run(inputs(new Input(in, out, Input.MAIN, ":app", true)), Options.defaults(), map);
        String last = summary.warnings().get(summary.warnings().size() - 1);
        assertEquals(
                "no method was instrumented: 1 class malformed, 2 newer than Java 25, 1 of known frameworks (include"
                        + " kotlin.** to instrument)",
                last);
    }

    @Test
    public void escapesControlCharactersInNames() throws Exception {
        write(in.resolve("a/Bad\nwarning: forged\u001b[31m.class"), "no class");
        for (String line : run().warnings()) {
            assertFalse(line, line.contains("\n") || line.contains("\u001b"));
        }
        assertTrue(
                run().warnings().toString(),
                run().warnings().toString().contains("Bad\\u000awarning: forged\\u001b[31m.class"));
        Path newline = in.resolveSibling("new\nline");
        InstrumentException e = assertThrows(
                InstrumentException.class,
                () -> BulkInstrumenter.run(inputs(new Input(newline, out, Input.MAIN, ":")), Options.defaults(), map));
        assertTrue(e.getMessage(), e.getMessage().contains("new\\u000aline: no such file"));
    }

    @Test
    public void refusesMapThatIsNotARegularFile() throws Exception {
        compile(in, "a.First", "");
        InstrumentException e = assertThrows(
                InstrumentException.class,
                () -> BulkInstrumenter.run(
                        inputs(new Input(in, out, Input.MAIN, ":")), Options.defaults(), Paths.get("/dev/zero")));
        assertTrue(e.getMessage(), e.getMessage().contains("/dev/zero: not a regular file"));
        assertThrows(
                InstrumentException.class,
                () -> BulkInstrumenter.run(
                        inputs(new Input(in, out, Input.MAIN, ":")), Options.defaults(), map, Paths.get("/dev/zero")));
    }

    @Test
    public void refusesInvalidPathsBeforeWriting() throws Exception {
        compile(in, "a.First", "");
        Path file = temporary.newFile("file").toPath();
        assertRefused("would overwrite the input", in, in);
        assertRefused("would overwrite the input", in, in.resolve("inside"));
        assertRefused("would overwrite the input", in, in.getParent());
        assertRefused("no such file or folder", in.resolveSibling("none"), out);
        assertRefused("a folder must be a folder", in, file);
        assertRefused("not a readable jar", file, out.resolveSibling("out.jar"));
        assertThrows(
                InstrumentException.class,
                () -> BulkInstrumenter.run(Collections.emptyList(), Options.defaults(), map));
        assertFalse(Files.exists(out));
        assertFalse(Files.exists(map));
    }

    private void assertRefused(String cause, Path from, Path to) {
        InstrumentException e = assertThrows(
                InstrumentException.class,
                () -> BulkInstrumenter.run(inputs(new Input(from, to, Input.MAIN, ":")), Options.defaults(), map));
        assertTrue(e.getMessage(), e.getMessage().contains(cause));
    }

    private static boolean matches(String pattern, String name) throws InstrumentException {
        Options options =
                Options.builder().include(Collections.singletonList(pattern)).build();
        Input input = new Input(Paths.get("in"), Paths.get("out"), Input.MAIN, ":");
        return new Selection(options, null).of(name, input) == Selection.Verdict.TAKE;
    }

    private Summary run() throws InstrumentException {
        return run(Options.defaults());
    }

    private Summary run(Options options) throws InstrumentException {
        return BulkInstrumenter.run(inputs(new Input(in, out, Input.MAIN, ":app")), options, map);
    }

    private static List<Input> inputs(Input... inputs) {
        return Arrays.asList(inputs);
    }

    private MapText map() throws IOException {
        return MapText.of(map);
    }

    private static void compile(Path folder, String name, String body) throws IOException {
        Compiled.into(folder, 8, name, source(name, body));
    }

    private static String source(String name, String body) {
        int dot = name.lastIndexOf('.');
        return "package " + name.substring(0, dot) + "; public class " + name.substring(dot + 1) + " {" + body + "}";
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
