package org.navitas.instrument.run;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.testing.Compiled;

/** Jars that expand to far more than their size: memory is bounded, and malicious ones are refused. */
public class LargeJarTest {
    private static final int CENTRAL_RECORD = 46;
    private static final int END_RECORD = 22;
    private static final int MB = 1 << 20;

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private Path in;
    private Path out;
    private Path map;

    @Before
    public void files() {
        Path root = temporary.getRoot().toPath();
        in = root.resolve("in.jar");
        out = root.resolve("out/copy.jar");
        map = root.resolve("map.json");
    }

    @Test
    public void refusesSmallJarThatExpandsToGigabytesOfClasses() throws Exception {
        jarOfOne("a000.class", new byte[12 * MB], 100);
        assertTrue("KB: " + Files.size(in) / 1024, Files.size(in) < 80 * 1024);
        assertRefused(".class: the jar expands to more than 256 MB, which is too much for its size; refused");
    }

    @Test
    public void refusesGigabytesOfResources() throws Exception {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(in))) {
            zip.setLevel(Deflater.BEST_SPEED);
            Compiled.into(temporary.getRoot().toPath(), 8, "Some", "class Some {}");
            put(
                    zip,
                    "Some.class",
                    Files.readAllBytes(temporary.getRoot().toPath().resolve("Some.class")));
            zip.putNextEntry(new ZipEntry("zeros.bin"));
            byte[] zeros = new byte[MB];
            for (int i = 0; i < 300; i++) {
                zip.write(zeros);
            }
            zip.closeEntry();
        }
        assertRefused("in.jar@zeros.bin: the jar expands to more than 256 MB, which is too much for its size; refused");
    }

    @Test
    public void reportsTooLargeClass() throws Exception {
        jarOfOne("a000.class", new byte[65 * MB], 1);
        assertRefused("in.jar@a000.class: larger than 64 MB");
    }

    @Test
    public void instrumentsMoreClassesThanFitInMemory() throws Exception {
        jarOfOne("a000.class", largeClass(), 10);
        Summary summary = run();
        assertEquals(Collections.emptyList(), summary.warnings());
        assertEquals(10, summary.rewritten());
        assertEquals(1, summary.methods());
        try (ZipFile jar = new ZipFile(out.toFile())) {
            byte[] first = read(jar, "a000.class");
            assertTrue(first.length > 8 * MB);
            assertTrue(ClassScan.of(first).instrumented);
            assertArrayEquals(first, read(jar, "a009.class"));
        }
    }

    private void assertRefused(String end) {
        InstrumentException e = assertThrows(InstrumentException.class, this::run);
        assertTrue(
                e.getMessage(),
                e.getMessage().startsWith(in.toString()) && e.getMessage().endsWith(end));
        assertTrue(Files.notExists(out));
        assertTrue(Files.notExists(Io.temporaryFor(out)));
    }

    private Summary run() throws InstrumentException {
        return BulkInstrumenter.run(
                Collections.singletonList(new Input(in, out, Input.MAIN, ":")), Options.defaults(), map);
    }

    /** A class with a method and an attribute of 8 MB. */
    private static byte[] largeClass() throws Exception {
        ClassFile file = new ClassFile(false, "Large", null);
        Bytecode code = new Bytecode(file.getConstPool(), 0, 0);
        code.addOpcode(Opcode.RETURN);
        MethodInfo method = new MethodInfo(file.getConstPool(), "m", "()V");
        method.setAccessFlags(AccessFlag.STATIC);
        method.setCodeAttribute(code.toCodeAttribute());
        file.addMethod(method);
        file.addAttribute(new AttributeInfo(file.getConstPool(), "Filler", new byte[8 * MB]));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        file.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    /** A jar with the bytes of one file, which its directory lists many times: a000.class, a001.class and so on. */
    private void jarOfOne(String name, byte[] content, int times) throws IOException {
        ByteArrayOutputStream one = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(one)) {
            put(zip, name, content);
        }
        byte[] bytes = one.toByteArray();
        int end = bytes.length - END_RECORD;
        int central = end - CENTRAL_RECORD - name.length();
        byte[] record = Arrays.copyOfRange(bytes, central, end);
        ByteBuffer last = ByteBuffer.wrap(bytes, end, END_RECORD).slice().order(ByteOrder.LITTLE_ENDIAN);
        last.putShort(8, (short) times).putShort(10, (short) times).putInt(12, times * record.length);
        try (OutputStream jar = Files.newOutputStream(in)) {
            jar.write(bytes, 0, central);
            for (int i = 0; i < times; i++) {
                byte[] digits = String.format("%03d", i).getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(digits, 0, record, CENTRAL_RECORD + 1, digits.length);
                jar.write(record);
            }
            jar.write(bytes, end, END_RECORD);
        }
    }

    private static void put(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(bytes);
        zip.closeEntry();
    }

    private static byte[] read(ZipFile zip, String name) throws IOException {
        try (InputStream stream = zip.getInputStream(zip.getEntry(name))) {
            return Io.read(stream);
        }
    }
}
