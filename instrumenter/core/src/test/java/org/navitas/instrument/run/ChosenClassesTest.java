package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;

/** Which classes and methods of folders get probes and hooks, by options and by what they are. */
public class ChosenClassesTest extends FolderRuns {
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

    private static boolean matches(String pattern, String name) throws InstrumentException {
        Options options =
                Options.builder().include(Collections.singletonList(pattern)).build();
        Input input = new Input(Paths.get("in"), Paths.get("out"), Input.MAIN, ":");
        return new Selection(options, null).of(name, input) == Selection.Verdict.TAKE;
    }
}
