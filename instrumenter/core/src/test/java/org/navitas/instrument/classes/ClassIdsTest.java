package org.navitas.instrument.classes;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.DataInputStream;
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
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.run.BulkInstrumenter;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.Linked;

/** Classes that get their probes one by one, with the ids of a map. */
public class ClassIdsTest {
    private static final String SOURCE =
            "package a; public class Some { int f() { return 1; } static void g() { new Some().f(); } }";

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path in;
    private Path out;
    private Path map;
    private Path file;
    private final List<String> warnings = new ArrayList<>();

    @Before
    public void folders() {
        Path root = temporary.getRoot().toPath();
        in = root.resolve("in");
        out = root.resolve("out");
        map = root.resolve("map.json");
        file = root.resolve("ids.json");
    }

    private ClassIds ids(Options options) throws Exception {
        BulkInstrumenter.run(Collections.singletonList(new Input(in, out, Input.MAIN, ":lib")), options, map);
        ClassIds.save(map, file);
        return ClassIds.read(file);
    }

    @Test
    public void classesAreAsThoseOfOneRun() throws Exception {
        Compiled.into(in, 8, "a.Some", SOURCE);
        Compiled.into(in, 8, "a.Other", "package a; interface Other { int f(); }");
        ClassIds ids = ids(Options.defaults());
        assertTrue(ids.has("a.Some"));
        assertFalse(ids.has("a.Other") || ids.has("a.None"));
        byte[] original = Files.readAllBytes(in.resolve("a/Some.class"));
        assertArrayEquals(
                Files.readAllBytes(out.resolve("a/Some.class")), ids.instrument("a.Some", original, warnings::add));
    }

    @Test
    public void methodsThatTheMapLacksGetNoProbes() throws Exception {
        Compiled.into(in, 8, "a.Some", SOURCE);
        ClassIds ids = ids(
                Options.builder().exclude(Collections.singletonList("a.Some#g")).build());
        Path other = temporary.newFolder().toPath();
        Compiled.into(other, 8, "a.Some", SOURCE.replace("int f()", "void added() { g(); } int f()"));
        byte[] original = Files.readAllBytes(other.resolve("a/Some.class"));
        byte[] done = ids.instrument("a.Some", original, warnings::add);
        assertEquals(Linked.FINE, Linked.alone(done, getClass().getClassLoader()));
        Map<String, Integer> before = codeLengths(original);
        Map<String, Integer> after = codeLengths(done);
        before.keySet().removeIf(method -> after.get(method).equals(before.get(method)));
        assertEquals(new TreeSet<>(Arrays.asList("<init>", "f")), before.keySet());
    }

    private static Map<String, Integer> codeLengths(byte[] bytes) throws Exception {
        Map<String, Integer> lengths = new TreeMap<>();
        for (Object each : new ClassFile(new DataInputStream(new ByteSource(bytes))).getMethods()) {
            MethodInfo method = (MethodInfo) each;
            lengths.put(method.getName(), method.getCodeAttribute().getCodeLength());
        }
        return lengths;
    }

    @Test
    public void methodsThatTheClassLacksAreAWarning() throws Exception {
        Compiled.into(in, 8, "a.Some", SOURCE);
        ClassIds ids = ids(Options.defaults());
        Path other = temporary.newFolder().toPath();
        Compiled.into(
                other, 8, "a.Some", SOURCE.replace("int f()", "int renamed()").replace(".f()", ".renamed()"));
        byte[] done = ids.instrument("a.Some", Files.readAllBytes(other.resolve("a/Some.class")), warnings::add);
        ids.instrument("a.Some", done, warnings::add); // has probes: nothing is wrong
        ids.instrument("a.Some", new byte[] {1}, warnings::add);
        assertEquals(
                "a.Some: 1 of 3 methods get no probes, since another plugin has changed the class", warnings.get(0));
        assertTrue(
                warnings.toString(),
                warnings.size() == 2 && warnings.get(1).startsWith("a.Some: 3 of 3 methods get no probes: "));
    }

    @Test
    public void classesWithoutPackageHaveANameOfAndroid() throws Exception {
        Compiled.into(in, 8, "Some", SOURCE.replace("package a; ", ""));
        ClassIds ids = ids(Options.defaults());
        assertTrue(ids.has("Some") && ids.has(".Some"));
        byte[] original = Files.readAllBytes(in.resolve("Some.class"));
        assertArrayEquals(
                Files.readAllBytes(out.resolve("Some.class")), ids.instrument(".Some", original, warnings::add));
        assertEquals(Collections.emptyList(), warnings);
    }

    /** A class can be in two modules of an app, and the first one in an APK has its probes from the other. */
    @Test
    public void classesOfTheEarlierMapMayHaveProbes() throws Exception {
        Compiled.into(in, 8, "a.Some", SOURCE);
        ids(Options.defaults());
        Compiled.into(out, 8, "a.Other", SOURCE.replace("Some", "Other"));
        Path apart = temporary.newFolder().toPath();
        List<Input> inputs = Collections.singletonList(new Input(out, apart, Input.MAIN, ":app"));
        Path appMap = map.resolveSibling("app.json");
        assertEquals(
                3, BulkInstrumenter.run(inputs, Options.defaults(), appMap, map).methods());
        assertArrayEquals(
                Files.readAllBytes(out.resolve("a/Some.class")), Files.readAllBytes(apart.resolve("a/Some.class")));
    }

    @Test
    public void emptyFolderHasNoIds() throws Exception {
        Files.createDirectories(in);
        assertFalse(ids(Options.defaults()).has("a.Some"));
    }

    @Test
    public void fileChangesOnlyWithMethods() throws Exception {
        Compiled.into(in, 8, "a.Some", SOURCE);
        ids(Options.defaults());
        FileTime before = FileTime.fromMillis(1000);
        Files.setLastModifiedTime(file, before);
        Compiled.into(in, 8, "a.Some", SOURCE.replace("return 1", "return 2"));
        ids(Options.defaults());
        assertEquals(before, Files.getLastModifiedTime(file));
        Compiled.into(in, 8, "a.Some", SOURCE.replace("int f()", "void added() { g(); } int f()"));
        assertTrue(ids(Options.defaults()).has("a.Some"));
        assertTrue(before.compareTo(Files.getLastModifiedTime(file)) < 0);
    }

    @Test
    public void damagedFilesAreNamed() throws Exception {
        for (String text : new String[] {
            "",
            "[",
            "{}",
            "[1]",
            "[{}]",
            "[{\"class\": \"a.Some\", \"name\": \"f\", \"descriptor\": \"()I\", \"id\": \"x\"}]"
        }) {
            Files.write(file, text.getBytes("UTF-8"));
            InstrumentException error = assertThrows(text, InstrumentException.class, () -> ClassIds.read(file));
            assertTrue(error.getMessage(), error.getMessage().startsWith(file.toString()));
        }
    }
}
