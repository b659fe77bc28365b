package org.navitas.instrument.testing;

import com.googlecode.d2j.dex.Dex2jar;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.navitas.instrument.files.Io;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Class files that dex2jar makes of a dex file, without what is known to be wrong in them: private methods in interfaces
 * of old class files, calls of an interface's own methods as if it were a class, and frames that lack superclasses.
 */
final class Redexed extends ClassVisitor {
    private final ClassLoader loader;

    private Redexed(ClassVisitor next, ClassLoader loader) {
        super(Opcodes.ASM9, next);
        this.loader = loader;
    }

    /** Writes a jar of the classes of a dex file. */
    static void jar(byte[] dex, Path jar) throws IOException {
        Path raw = jar.resolveSibling("raw-" + jar.getFileName());
        Dex2jar.from(dex).skipDebug().to(raw);
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {raw.toUri().toURL()}, Redexed.class.getClassLoader());
                ZipFile zip = new ZipFile(raw.toFile());
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            out.setLevel(0);
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (entry.getName().endsWith(".class")) {
                    out.putNextEntry(new ZipEntry(entry.getName()));
                    Framed writer = new Framed(loader);
                    new ClassReader(Io.read(zip.getInputStream(entry)))
                            .accept(new Redexed(writer, loader), ClassReader.SKIP_FRAMES);
                    out.write(writer.toByteArray());
                }
            }
        }
        Files.delete(raw);
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superclass, String[] interfaces) {
        super.visit(Math.max(version, Opcodes.V1_8), access, name, signature, superclass, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, descriptor, signature, exceptions)) {
            @Override
            public void visitMethodInsn(int op, String owner, String called, String type, boolean isInterface) {
                super.visitMethodInsn(
                        op, owner, called, type, isInterface || op != Opcodes.INVOKEVIRTUAL && isInterface(owner));
            }
        };
    }

    private boolean isInterface(String name) {
        try {
            return Class.forName(name.replace('/', '.'), false, loader).isInterface();
        } catch (ClassNotFoundException | LinkageError e) { // of an optional dependency
            return false;
        }
    }

    /** Makes frames with the superclasses that a loader knows. */
    private static final class Framed extends ClassWriter {
        private final ClassLoader loader;

        Framed(ClassLoader loader) {
            super(COMPUTE_FRAMES);
            this.loader = loader;
        }

        @Override
        protected ClassLoader getClassLoader() {
            return loader;
        }

        @Override
        protected String getCommonSuperClass(String one, String other) {
            try {
                return super.getCommonSuperClass(one, other);
            } catch (TypeNotPresentException | LinkageError e) { // of an optional dependency
                return "java/lang/Object";
            }
        }
    }
}
