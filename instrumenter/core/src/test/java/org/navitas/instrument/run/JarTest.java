package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.JarSignature;
import org.navitas.instrument.map.MethodMap;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.MapText;
import org.navitas.runtime.Probe;

/** Runs over jars. */
public class JarTest {
    private static final byte[] MULTI_RELEASE = bytes("Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n");

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path root;
    private Path in;
    private Path out;
    private Path map;
    private byte[] someClass;

    @Before
    public void files() throws IOException {
        root = temporary.getRoot().toPath();
        in = root.resolve("in.jar");
        out = root.resolve("out/copy.jar");
        map = root.resolve("map.json");
        Compiled.into(
                root.resolve("classes"),
                8,
                "a.Some",
                "package a; public class Some { public static int f() { return 1; } }");
        someClass = Files.readAllBytes(root.resolve("classes/a/Some.class"));
    }

    @Test
    public void instrumentsClassesAndCopiesTheRestInOrder() throws Exception {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(in))) {
            zip.setComment("about");
            put(zip, "META-INF/MANIFEST.MF", bytes("Manifest-Version: 1.0\r\nX: y\r\n\r\n"));
            put(zip, "a/", new byte[0]);
            put(zip, "a/Some.class", someClass);
            ZipEntry stored = new ZipEntry("lib/nested.jar");
            byte[] nested = bytes("not even a jar");
            CRC32 crc = new CRC32();
            crc.update(nested);
            stored.setMethod(ZipEntry.STORED);
            stored.setSize(nested.length);
            stored.setCrc(crc.getValue());
            zip.putNextEntry(stored);
            zip.write(nested);
            zip.closeEntry();
            put(zip, "data/ünï.bin", new byte[100_000]);
        }
        Summary summary = run();
        assertEquals(2, summary.methods());
        assertEquals(Collections.emptyList(), summary.warnings());
        assertEquals(
                Arrays.asList(
                        "META-INF/MANIFEST.MF",
                        "a/",
                        "a/Some.class",
                        "lib/nested.jar",
                        "data/ünï.bin",
                        MethodMap.PROPERTIES),
                names());
        try (ZipFile before = new ZipFile(in.toFile());
                ZipFile after = new ZipFile(out.toFile())) {
            assertEquals("about", after.getComment());
            for (String same : Arrays.asList("META-INF/MANIFEST.MF", "lib/nested.jar", "data/ünï.bin")) {
                assertArrayEquals(same, read(before, same), read(after, same));
                assertEquals(
                        same,
                        before.getEntry(same).getTime(),
                        after.getEntry(same).getTime());
                assertEquals(
                        same,
                        before.getEntry(same).getMethod(),
                        after.getEntry(same).getMethod());
            }
            assertEquals(
                    "map_id=" + summary.mapId() + "\n",
                    new String(read(after, MethodMap.PROPERTIES), StandardCharsets.UTF_8));
        }
        int id = MapText.of(map).ids().get(1);
        assertEquals(">" + id + " <" + id, callSome());
    }

    @Test
    public void reusesWholeJarsOrRewritesThem() throws Exception {
        jar("a/Some.class", someClass);
        run();
        byte[] first = Files.readAllBytes(out);
        Summary second = run();
        assertEquals(0, second.rewritten());
        assertEquals(1, second.reused());
        jar("a/Some.class", someClass, "new.txt", bytes("x"));
        assertEquals(1, run().rewritten());
        jar("a/Some.class", someClass);
        run();
        assertArrayEquals("deterministic", first, Files.readAllBytes(out));
    }

    @Test
    public void secondRunChangesNothing() throws Exception {
        jar("a/Some.class", someClass);
        Summary once = run();
        byte[] mapOnce = Files.readAllBytes(map);
        Path twice = root.resolve("twice.jar");
        Summary again = BulkInstrumenter.run(inputs(out, twice), Options.defaults(), map);
        assertArrayEquals(Files.readAllBytes(out), Files.readAllBytes(twice));
        assertArrayEquals(mapOnce, Files.readAllBytes(map));
        assertEquals(once.mapId(), again.mapId());
    }

    @Test
    public void removesSignatureSoThatJarLoads() throws Exception {
        jar(
                "META-INF/MANIFEST.MF",
                bytes("Manifest-Version: 1.0\r\n\r\nName: a/Some.class\r\nKept: yes\r\n\r\n"),
                "a/Some.class",
                someClass,
                "x.txt",
                bytes("x"));
        sign();
        Summary summary = run();
        assertEquals(
                Collections.singletonList("signature removed, since it does not match instrumented classes: " + in),
                summary.warnings());
        assertEquals(Arrays.asList("META-INF/MANIFEST.MF", "a/Some.class", "x.txt", MethodMap.PROPERTIES), names());
        try (JarFile jar = new JarFile(out.toFile())) {
            Manifest manifest = jar.getManifest();
            assertEquals("1.0", manifest.getMainAttributes().getValue(Attributes.Name.MANIFEST_VERSION));
            assertEquals(
                    Collections.singleton("a/Some.class"), manifest.getEntries().keySet());
            assertEquals(1, manifest.getAttributes("a/Some.class").size());
            assertEquals("yes", manifest.getAttributes("a/Some.class").getValue("Kept"));
        }
        int id = MapText.of(map).ids().get(1);
        assertEquals(">" + id + " <" + id, callSome());
    }

    @Test
    public void keepsSignatureOfCopiedJar() throws Exception {
        jar("a/Some.class", someClass);
        sign();
        Path other = root.resolve("classes");
        BulkInstrumenter.run(
                Arrays.asList(
                        new Input(other, root.resolve("o"), Input.MAIN, ":"), new Input(in, out, Input.DEPENDENCY, "")),
                Options.defaults(),
                map);
        assertArrayEquals(Files.readAllBytes(in), Files.readAllBytes(out));
    }

    @Test
    public void removesContinuedDigestLines() {
        String manifest = "Manifest-Version: 1.0\n"
                + "SHA-256-Digest-Manifest: kept in main\n\n"
                + "Name: a\n"
                + " B\n"
                + "SHA-256-Digest: abc\n"
                + " def\n\n"
                + "Name: c\n"
                + "SHA1-Digest: x\n"
                + "Other: 1\n";
        assertEquals(
                "Manifest-Version: 1.0\r\nSHA-256-Digest-Manifest: kept in main\r\n\r\nName: c\r\nOther: 1\r\n\r\n",
                new String(JarSignature.withoutDigests(bytes(manifest)), StandardCharsets.ISO_8859_1));
    }

    @Test
    public void refusesNamesThatLeadOutOfTheJar() throws Exception {
        for (String name :
                Arrays.asList("../evil.class", "a/../../evil.txt", "/etc/evil", "..\\evil", "C:\\evil", "a/..")) {
            jar("a/Some.class", someClass, name, bytes("x"));
            InstrumentException e = assertThrows(name, InstrumentException.class, this::run);
            assertEquals(in + "@" + name + ": the entry's name leads out of the jar; refused", e.getMessage());
            assertTrue(Files.notExists(out));
        }
    }

    @Test
    public void reportsDamagedJars() throws Exception {
        jar("a/Some.class", someClass, "b.txt", new byte[5000]);
        byte[] whole = Files.readAllBytes(in);
        for (int length : new int[] {0, 10, whole.length / 2, whole.length - 1}) {
            Files.write(in, Arrays.copyOf(whole, length));
            InstrumentException e = assertThrows(InstrumentException.class, this::run);
            assertTrue(e.getMessage(), e.getMessage().startsWith(in.toString()));
        }
        for (int at = 0; at < whole.length; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= 0x41;
            Files.write(in, flipped);
            try {
                run();
            } catch (InstrumentException e) {
                assertTrue(
                        e.getMessage(),
                        e.getMessage().contains("in.jar") || e.getMessage().contains("copy.jar"));
            }
        }
    }

    @Test
    public void versionsOfAClassShareIds() throws Exception {
        Compiled.into(
                root.resolve("nine"),
                9,
                "a.Some",
                "package a; public class Some { static void own() {} public static int f() { return 2; } }");
        jar(
                "META-INF/MANIFEST.MF",
                MULTI_RELEASE,
                "a/Some.class",
                someClass,
                "META-INF/versions/9/a/Some.class",
                Files.readAllBytes(root.resolve("nine/a/Some.class")));
        Summary summary = run();
        assertEquals(Arrays.asList("<init>", "f", "own"), MapText.of(map).methods());
        assertEquals(Collections.singletonList("a.Some"), MapText.of(map).classes());
        assertEquals(Collections.emptyList(), summary.warnings());
        try (ZipFile jar = new ZipFile(out.toFile())) {
            byte[] nine = read(jar, "META-INF/versions/9/a/Some.class");
            ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {
                @Override
                protected Class<?> findClass(String name) {
                    return defineClass(name, nine, 0, nine.length);
                }
            };
            assertEquals(2, loader.loadClass("a.Some").getMethod("f").invoke(null));
            int id = MapText.of(map).ids().get(1);
            assertEquals(">" + id + " <" + id, String.join(" ", Probe.take()));
        }
    }

    @Test
    public void theClassForAnyReleaseComesBeforeThoseForReleases() throws Exception {
        Compiled.into(
                root.resolve("nine"),
                9,
                "a.Some",
                "package a; public class Some {\n public static int f() { return 2; } }");
        byte[] nine = Files.readAllBytes(root.resolve("nine/a/Some.class"));
        // As most tools write it: META-INF comes first.
        jar("META-INF/MANIFEST.MF", MULTI_RELEASE, "META-INF/versions/9/a/Some.class", nine, "a/Some.class", someClass);
        assertEquals(Collections.emptyList(), run().warnings());
        assertTrue(MapText.of(map).text, MapText.of(map).text.contains("\"sha256\": \"" + Io.sha256Hex(someClass)));
        assertTrue(
                MapText.of(map).text,
                MapText.of(map).text.contains("\"name\": \"f\", \"descriptor\": \"()I\", \"line\": 1}"));
        Path second = root.resolve("second.jar");
        Files.copy(in, second);
        jar("a/Some.class", nine);
        Summary both = BulkInstrumenter.run(
                Arrays.asList(
                        new Input(in, out, Input.MAIN, ":"), new Input(second, root.resolve("o.jar"), Input.MAIN, ":")),
                Options.defaults(),
                map);
        assertEquals(
                Collections.singletonList(
                        "hidden by a class of the same name earlier on the class path: " + second + "@a/Some.class"),
                both.warnings());
    }

    @Test
    public void classesForReleasesThatNoJvmLoadsAreCopied() throws Exception {
        for (String manifest : Arrays.asList(
                "Manifest-Version: 1.0\r\n\r\n", "Manifest-Version: 1.0\r\nMulti-Release: false\r\n\r\n")) {
            jar(
                    "META-INF/MANIFEST.MF",
                    bytes(manifest),
                    "META-INF/versions/9/a/Other.class",
                    someClass,
                    "a/Some.class",
                    someClass);
            assertEquals(1, run().classes());
            assertCopied("META-INF/versions/9/a/Other.class");
        }
        jar(
                "META-INF/MANIFEST.MF",
                MULTI_RELEASE,
                "META-INF/versions/8/a/Some.class",
                someClass,
                "a/Some.class",
                someClass);
        run();
        assertCopied("META-INF/versions/8/a/Some.class");
    }

    @Test
    public void aJarWithAnInvalidManifestHasAWarning() throws Exception {
        jar(
                "META-INF/MANIFEST.MF",
                bytes("Multi-Release: true\r\nno header\r\n\r\n"),
                "META-INF/versions/9/a/Other.class",
                someClass,
                "a/Some.class",
                someClass);
        Summary summary = run();
        assertEquals(1, summary.classes());
        assertEquals(
                Collections.singletonList(
                        "an invalid manifest, so classes in META-INF/versions are copied without probes: " + in
                                + "@META-INF/MANIFEST.MF"),
                summary.warnings());
        assertCopied("META-INF/versions/9/a/Other.class");
    }

    private void assertCopied(String name) throws IOException {
        try (ZipFile jar = new ZipFile(out.toFile())) {
            assertArrayEquals(someClass, read(jar, name));
        }
    }

    @Test
    public void onlyFirstInputGetsMapProperties() throws Exception {
        jar("a/Some.class", someClass, MethodMap.PROPERTIES, bytes("map_id=0000000000000000\n"));
        BulkInstrumenter.run(
                Arrays.asList(
                        new Input(root.resolve("classes"), root.resolve("o"), Input.MAIN, ":"),
                        new Input(in, out, Input.MAIN, ":")),
                Options.defaults(),
                map);
        try (ZipFile jar = new ZipFile(out.toFile())) {
            assertNull(jar.getEntry(MethodMap.PROPERTIES));
        }
    }

    private Summary run() throws InstrumentException {
        return BulkInstrumenter.run(inputs(in, out), Options.defaults(), map);
    }

    private static List<Input> inputs(Path from, Path to) {
        return Collections.singletonList(new Input(from, to, Input.MAIN, ":"));
    }

    private void jar(Object... namesAndBytes) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(in))) {
            for (int i = 0; i < namesAndBytes.length; i += 2) {
                ZipEntry entry = new ZipEntry((String) namesAndBytes[i]);
                entry.setTime(1_000_000_000_000L);
                zip.putNextEntry(entry);
                zip.write((byte[]) namesAndBytes[i + 1]);
                zip.closeEntry();
            }
        }
    }

    /** Signs the jar with the JDK's tools, as a user would. */
    private void sign() throws Exception {
        String keys = root.resolve("keys.p12").toString();
        tool(
                "keytool",
                "-genkeypair",
                "-keystore",
                keys,
                "-storepass",
                "secret",
                "-alias",
                "me",
                "-dname",
                "CN=me",
                "-keyalg",
                "EC");
        tool("jarsigner", "-keystore", keys, "-storepass", "secret", in.toString(), "me");
    }

    private static void tool(String... command) throws Exception {
        command[0] = System.getProperty("java.home") + "/bin/" + command[0];
        File log = File.createTempFile("tool", ".log");
        int exit = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start()
                .waitFor();
        assertEquals(new String(Files.readAllBytes(log.toPath()), StandardCharsets.UTF_8), 0, exit);
        Files.delete(log.toPath());
    }

    private String callSome() throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {out.toUri().toURL()})) {
            loader.loadClass("a.Some").getMethod("f").invoke(null);
            return String.join(" ", Probe.take());
        }
    }

    private List<String> names() throws IOException {
        try (ZipFile zip = new ZipFile(out.toFile())) {
            return Collections.list(zip.entries()).stream()
                    .map(ZipEntry::getName)
                    .collect(Collectors.toList());
        }
    }

    private static byte[] read(ZipFile zip, String name) throws IOException {
        try (InputStream stream = zip.getInputStream(zip.getEntry(name))) {
            return Io.read(stream);
        }
    }

    private static void put(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(bytes);
        zip.closeEntry();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
