package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.Test;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.map.MethodMap;
import org.navitas.instrument.testing.Compiled;

/** Runs over the same folders again: copying, reuse, removal. */
public class RepeatedRunsTest extends FolderRuns {
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
}
