package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import org.junit.Test;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.map.MapClass;
import org.navitas.instrument.map.MethodMap;
import org.navitas.instrument.testing.MapText;

/** Maps of runs over folders: numbers of methods, kinds of probes, earlier maps. */
public class MapsOfFoldersTest extends FolderRuns {
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
    public void mapClassReturnsItsId() throws Exception {
        byte[] bytes = MapClass.bytes("0123456789abcdef");
        Class<?> made = new ClassLoader(MapsOfFoldersTest.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(null, bytes, 0, bytes.length);
            }
        }.define();
        assertEquals(MapClass.PATH, made.getName().replace('.', '/') + ".class");
        assertEquals(
                "0123456789abcdef", made.getDeclaredConstructor().newInstance().toString());
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
}
