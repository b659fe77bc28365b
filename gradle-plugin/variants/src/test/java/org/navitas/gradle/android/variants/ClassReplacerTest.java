package org.navitas.gradle.android.variants;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.UnaryOperator;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ClassFile;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A class that is replaced while it is visited can be loaded, whatever the reader and the other visitors leave out. */
public class ClassReplacerTest {
    /** Has branches, a loop and a handler, which need frames. */
    public static final class Target implements Runnable {
        int sum;

        @Override
        public void run() {
            for (int i = 0; i < 10; i++) {
                try {
                    sum += i % 3 == 0 ? Integer.parseInt("" + i) : i;
                } catch (NumberFormatException e) {
                    sum = -1;
                }
            }
        }

        @Override
        public String toString() {
            return "" + sum;
        }
    }

    private static byte[] original() throws IOException {
        try (InputStream in = Target.class.getResourceAsStream("ClassReplacerTest$Target.class")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int each = in.read(); each >= 0; each = in.read()) {
                out.write(each);
            }
            return out.toByteArray();
        }
    }

    /** Adds an attribute, as the instrumenter does. */
    private static byte[] marked(byte[] bytes) {
        try {
            ClassFile file = new ClassFile(new DataInputStream(new ByteArrayInputStream(bytes)));
            file.addAttribute(new AttributeInfo(file.getConstPool(), "Marker", new byte[] {1}));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            file.write(new DataOutputStream(out));
            return out.toByteArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] replaced(int readerFlags, int writerFlags, boolean hasMaxima, UnaryOperator<byte[]> change)
            throws IOException {
        ClassReader reader = new ClassReader(original());
        ClassWriter writer = new ClassWriter(reader, writerFlags);
        ClassVisitor before = new ClassVisitor(Opcodes.ASM9, new ClassReplacer(Opcodes.ASM9, writer, change)) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String name, String descriptor, String signature, String[] exceptions) {
                return new MethodVisitor(
                        Opcodes.ASM9, super.visitMethod(access, name, descriptor, signature, exceptions)) {
                    @Override
                    public void visitMaxs(int stack, int locals) {
                        super.visitMaxs(hasMaxima ? stack : 0, hasMaxima ? locals : 0);
                    }
                };
            }
        };
        reader.accept(before, readerFlags);
        return writer.toByteArray();
    }

    @Test
    public void replacedClassRunsAndKeepsItsAttribute() throws Exception {
        for (int flags : new int[] {0, ClassReader.EXPAND_FRAMES, ClassReader.SKIP_FRAMES}) {
            for (boolean hasMaxima : new boolean[] {true, false}) {
                int writer = flags == ClassReader.SKIP_FRAMES
                        ? ClassWriter.COMPUTE_FRAMES
                        : hasMaxima ? 0 : ClassWriter.COMPUTE_MAXS;
                byte[] bytes = replaced(flags, writer, hasMaxima, ClassReplacerTest::marked);
                Object target = new ClassLoader(getClass().getClassLoader()) {
                    Object made() throws ReflectiveOperationException {
                        return defineClass(Target.class.getName(), bytes, 0, bytes.length)
                                .getDeclaredConstructor()
                                .newInstance();
                    }
                }.made();
                ((Runnable) target).run();
                assertEquals("45", target.toString());
                ClassFile file = new ClassFile(new DataInputStream(new ByteArrayInputStream(bytes)));
                assertArrayEquals(new byte[] {1}, file.getAttribute("Marker").get());
            }
        }
    }
}
