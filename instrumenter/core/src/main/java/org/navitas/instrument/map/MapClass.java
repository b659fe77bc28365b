package org.navitas.instrument.map;

import java.io.DataOutputStream;
import java.io.IOException;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.DuplicateMemberException;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.files.ByteSink;

/**
 * A generated class that holds the method map's id in an Android app. An APK can lose resources of the class path, but
 * not its classes.
 */
public final class MapClass {
    /** Path of the class file in a folder or jar. */
    public static final String PATH = "org/navitas/map/NavitasMap.class";

    private static final String NAME = "org.navitas.map.NavitasMap";

    private MapClass() {}

    /**
     * Generates the class file, for Java 8: a public class whose {@code toString()} returns the id.
     *
     * @param mapId the method map's id, 16 hexadecimal digits
     * @return the bytes of the class file
     */
    public static byte[] bytes(String mapId) {
        try {
            ClassFile file = new ClassFile(false, NAME, "java.lang.Object");
            file.setMajorVersion(ClassFile.JAVA_8);
            file.setAccessFlags(AccessFlag.PUBLIC | AccessFlag.FINAL | AccessFlag.SUPER);
            Bytecode constructor = new Bytecode(file.getConstPool(), 1, 1);
            constructor.addAload(0);
            constructor.addInvokespecial("java.lang.Object", MethodInfo.nameInit, "()V");
            constructor.addReturn(null);
            add(file, MethodInfo.nameInit, "()V", constructor);
            Bytecode id = new Bytecode(file.getConstPool(), 1, 1);
            id.addLdc(mapId);
            id.addOpcode(Bytecode.ARETURN);
            add(file, "toString", "()Ljava/lang/String;", id);
            ByteSink bytes = new ByteSink(512);
            file.write(new DataOutputStream(bytes));
            return bytes.toByteArray();
        } catch (IOException | DuplicateMemberException e) {
            throw new AssertionError("a class of two methods can be written to memory", e);
        }
    }

    private static void add(ClassFile file, String name, String descriptor, Bytecode code)
            throws DuplicateMemberException {
        MethodInfo method = new MethodInfo(file.getConstPool(), name, descriptor);
        method.setAccessFlags(AccessFlag.PUBLIC);
        method.setCodeAttribute(code.toCodeAttribute());
        file.addMethod(method);
    }
}
