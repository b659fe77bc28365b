package org.navitas.gradle.android.variants;

import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;

/** Collects a class, changes its bytes as a whole, and passes the result on. Visitors before it need not compute maxima. */
final class ClassReplacer extends ClassVisitor {
    private final ClassVisitor next;
    private final ClassWriter original;
    private final UnaryOperator<byte[]> change;

    ClassReplacer(int api, ClassVisitor next, UnaryOperator<byte[]> change) {
        this(api, next, new ClassWriter(ClassWriter.COMPUTE_MAXS), change);
    }

    private ClassReplacer(int api, ClassVisitor next, ClassWriter original, UnaryOperator<byte[]> change) {
        super(api, original);
        this.next = next;
        this.original = original;
        this.change = change;
    }

    @Override
    public void visitEnd() {
        super.visitEnd();
        // Visitors that add local variables need expanded frames.
        new ClassReader(change.apply(original.toByteArray())).accept(next, ClassReader.EXPAND_FRAMES);
    }
}
