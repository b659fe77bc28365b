package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Test;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;

/** Runs over folders with classes and paths that cannot get probes: copied, counted or refused. */
public class UnusualInputTest extends FolderRuns {
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
}
