package org.navitas.instrument.run;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.Libraries;
import org.navitas.instrument.testing.Linked;
import org.navitas.instrument.testing.MapText;
import org.navitas.runtime.Probe;

/** Names that obfuscators choose, and classes without debug information: everything that the JVM allows. */
public class NamesTest {
    private static final int LONGEST = 65535;

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path in;
    private Path out;
    private Path map;

    @Before
    public void files() {
        Path root = temporary.getRoot().toPath();
        in = root.resolve("in.jar");
        out = root.resolve("out.jar");
        map = root.resolve("map.json");
    }

    @Test
    public void instrumentsAnyNameThatTheJvmAllows() throws Exception {
        String longName = new String(new char[LONGEST]).replace('\0', 'n');
        List<String> classes = Arrays.asList(
                "a/a",
                "a/A",
                "A/a",
                "a/a/a",
                "a/a$a",
                "a/$",
                "do",
                "1/2-3",
                "x y/\t\"quoted\"\\n",
                "日本/Ключ",
                "a/\uD83D\uDE00",
                "a/\uD800",
                "-",
                longName.substring(10));
        Map<String, byte[]> entries = new TreeMap<>();
        for (String name : classes) {
            entries.put(
                    "c" + entries.size() + ".class",
                    classNamed(name, "a", "A", "if", "1-2", "\n", "é\"\\", "\uD800", longName));
        }
        write(entries);
        Summary summary = run();
        assertEquals(Collections.emptyList(), summary.warnings());
        assertEquals(classes.size(), summary.classes());
        assertEquals(8 * classes.size(), summary.methods());
        byte[] json = Files.readAllBytes(map);
        assertEquals("the map is ASCII whatever names hold", -1, firstBeyondAscii(json));
        assertTrue(
                "half a surrogate pair is replaced",
                new String(json, "US-ASCII").contains("{\"name\": \"a.\\ufffd\","));
        try (ZipFile jar = new ZipFile(out.toFile())) {
            for (String path : entries.keySet()) {
                byte[] bytes = Io.read(jar.getInputStream(jar.getEntry(path)));
                assertEquals(path, Linked.FINE, Linked.alone(bytes, getClass().getClassLoader()));
                Class<?> target = define(bytes);
                for (java.lang.reflect.Method method : target.getDeclaredMethods()) {
                    method.invoke(null);
                }
                assertEquals(16, Probe.take().size());
            }
        }
        assertEquals(classes.size(), run().reused()); // the state contains such names too
    }

    @Test
    public void mapWithEqualNamesOfDifferentMethodsCanBeContinued() throws Exception {
        write(Collections.singletonMap("a/Odd.class", classNamed("a/Odd", "\uD800", "\uD801")));
        run();
        Path tests = temporary.newFolder().toPath();
        Compiled.into(tests, 8, "a.Test", "package a; public class Test { void test() { } }");
        List<Input> inputs =
                Collections.singletonList(new Input(tests, temporary.newFolder().toPath(), Input.TEST, ":app"));
        assertEquals(
                2,
                BulkInstrumenter.run(inputs, Options.defaults(), tests.resolve("tests.json"), map)
                        .methods());
    }

    @Test
    public void skippedMethodCanHaveAnyName() throws Exception {
        String longName = new String(new char[LONGEST]).replace('\0', 'n');
        ClassFile file = new ClassFile(false, "a.Some", null);
        MethodInfo method = new MethodInfo(file.getConstPool(), longName, "(Ljava/lang/Object;)V");
        method.setAccessFlags(AccessFlag.PUBLIC | AccessFlag.NATIVE);
        file.addMethod(method);
        write(Collections.singletonMap("a/Some.class", bytes(file)));
        assertEquals(1, run().skippedMethods());
        assertEquals(1, run().skippedMethods());
    }

    @Test
    public void instrumentsClassesWithoutDebugInformation() throws Exception {
        write(Collections.singletonMap("a.class", classNamed("a", "a")));
        assertEquals(1, run().methods());
        String text = MapText.of(map).text;
        assertTrue(text, text.contains("\"file\": null"));
        assertTrue(text, text.contains("\"name\": \"a\", \"descriptor\": \"()V\", \"line\": null}"));
    }

    @Test
    public void keepsModuleDescriptorInEveryVersion() throws Exception {
        Path classes = temporary.getRoot().toPath().resolve("module");
        Compiled.into(
                classes,
                9,
                "a.Some",
                "package a; public class Some { public static void main(String[] none) { } }",
                "module-info",
                "module some { exports a; }");
        byte[] some = Files.readAllBytes(classes.resolve("a/Some.class"));
        byte[] module = Files.readAllBytes(classes.resolve("module-info.class"));
        Map<String, byte[]> entries = new TreeMap<>();
        entries.put("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMulti-Release: true\n\n".getBytes("US-ASCII"));
        entries.put("META-INF/versions/9/module-info.class", module);
        entries.put("META-INF/versions/17/a/Some.class", some);
        entries.put("a/Some.class", some);
        entries.put("module-info.class", module);
        write(entries);
        assertEquals(Collections.emptyList(), run().warnings());
        // Runs as a module that reads the runtime: here, the stub on the class path.
        String runtime = Libraries.jarOf(Probe.class).toString();
        Process java = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-p",
                        out.toString(),
                        "-cp",
                        runtime,
                        "--add-reads",
                        "some=ALL-UNNAMED",
                        "-m",
                        "some/a.Some")
                .redirectErrorStream(true)
                .start();
        String said = new String(Io.read(java.getInputStream()), "UTF-8");
        assertEquals(said, 0, java.waitFor());
        assertFalse(said, said.contains("rror"));
    }

    private Summary run() throws InstrumentException {
        return BulkInstrumenter.run(Arrays.asList(new Input(in, out, Input.MAIN, ":")), Options.defaults(), map);
    }

    private void write(Map<String, byte[]> entries) throws Exception {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(in))) {
            for (Map.Entry<String, byte[]> each : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(each.getKey()));
                zip.write(each.getValue());
            }
        }
    }

    private static int firstBeyondAscii(byte[] text) {
        for (int i = 0; i < text.length; i++) {
            if (text[i] < 0) {
                return i;
            }
        }
        return -1;
    }

    private static byte[] classNamed(String name, String... methods) throws Exception {
        ClassFile file = new ClassFile(false, name.replace('/', '.'), null);
        file.setAccessFlags(AccessFlag.PUBLIC | AccessFlag.SUPER);
        file.setMajorVersion(52);
        ConstPool pool = file.getConstPool();
        for (String each : methods) {
            MethodInfo method = new MethodInfo(pool, each, "()V");
            method.setAccessFlags(AccessFlag.PUBLIC | AccessFlag.STATIC);
            Bytecode code = new Bytecode(pool, 0, 0);
            code.addOpcode(Opcode.RETURN);
            method.setCodeAttribute(code.toCodeAttribute());
            file.addMethod(method);
        }
        return bytes(file);
    }

    private static byte[] bytes(ClassFile file) throws Exception {
        file.removeAttribute("SourceFile");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        file.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    private static Class<?> define(byte[] bytes) {
        return new ClassLoader(NamesTest.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(null, bytes, 0, bytes.length);
            }
        }.define();
    }
}
