package org.navitas.gradle.android.variants;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javassist.ClassPool;
import javassist.NotFoundException;
import javassist.bytecode.ClassFile;
import javassist.bytecode.ConstPool;
import javassist.bytecode.FieldInfo;
import javassist.bytecode.MethodInfo;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** All that the adapter's classes use of Android's plugin is in the published API of each supported version. */
@RunWith(Parameterized.class)
public class AndroidReferencesTest {
    private static final String ANDROID = "com.android.";

    /** Jars of the API, which the build copies here. */
    @Parameterized.Parameters(name = "{0}")
    public static List<String> jars() {
        String[] names = new File("target/android-api").list();
        return names == null
                ? Collections.emptyList()
                : Arrays.stream(names).sorted().collect(Collectors.toList());
    }

    private final ClassPool api = new ClassPool(false);
    private final ClassPool others = new ClassPool(true);

    public AndroidReferencesTest(String jar) throws NotFoundException {
        api.appendClassPath("target/android-api/" + jar);
    }

    @Test
    public void eachReferenceResolves() throws IOException {
        Set<String> missing = new TreeSet<>();
        int references = 0;
        for (ClassFile each : adapter()) {
            ConstPool pool = each.getConstPool();
            for (int index = 1; index < pool.getSize(); index++) {
                String owner = owner(pool, index);
                if (owner == null || !owner.startsWith(ANDROID)) {
                    continue;
                }
                references++;
                if (!resolves(pool, index, owner)) {
                    missing.add(owner + member(pool, index));
                }
            }
        }
        assertTrue("references: " + references, references > 50);
        assertEquals(Collections.emptySet(), missing);
    }

    private static List<ClassFile> adapter() throws IOException {
        List<ClassFile> files = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(new File("target/classes").toPath())) {
            for (Path path :
                    paths.filter(path -> path.toString().endsWith(".class")).collect(Collectors.toList())) {
                try (InputStream in = Files.newInputStream(path)) {
                    files.add(new ClassFile(new DataInputStream(in)));
                }
            }
        }
        return files;
    }

    /** Returns the class that an entry of a constant pool names, or null for other entries. */
    private static String owner(ConstPool pool, int index) {
        switch (pool.getTag(index)) {
            case ConstPool.CONST_Class:
                return pool.getClassInfo(index);
            case ConstPool.CONST_Fieldref:
                return pool.getFieldrefClassName(index);
            case ConstPool.CONST_Methodref:
                return pool.getMethodrefClassName(index);
            case ConstPool.CONST_InterfaceMethodref:
                return pool.getInterfaceMethodrefClassName(index);
            default:
                return null;
        }
    }

    private static String member(ConstPool pool, int index) {
        switch (pool.getTag(index)) {
            case ConstPool.CONST_Fieldref:
                return "." + pool.getFieldrefName(index) + " " + pool.getFieldrefType(index);
            case ConstPool.CONST_Methodref:
                return "." + pool.getMethodrefName(index) + pool.getMethodrefType(index);
            case ConstPool.CONST_InterfaceMethodref:
                return "." + pool.getInterfaceMethodrefName(index) + pool.getInterfaceMethodrefType(index);
            default:
                return "";
        }
    }

    private boolean resolves(ConstPool pool, int index, String owner) {
        ClassFile declared = find(owner);
        if (declared == null) {
            return false;
        }
        int tag = pool.getTag(index);
        boolean isMethod = tag == ConstPool.CONST_Methodref || tag == ConstPool.CONST_InterfaceMethodref;
        // A call is bound to a class or to an interface when it is compiled.
        boolean isSameKind = !isMethod || declared.isInterface() == (tag == ConstPool.CONST_InterfaceMethodref);
        return isSameKind && (tag == ConstPool.CONST_Class || has(declared, member(pool, index)));
    }

    /** Returns whether a class or one of its supertypes has a member. */
    private boolean has(ClassFile type, String member) {
        for (MethodInfo method : type.getMethods()) {
            if (member.equals("." + method.getName() + method.getDescriptor())) {
                return true;
            }
        }
        for (FieldInfo field : type.getFields()) {
            if (member.equals("." + field.getName() + " " + field.getDescriptor())) {
                return true;
            }
        }
        List<String> parents = new ArrayList<>(Arrays.asList(type.getInterfaces()));
        parents.add(type.getSuperclass());
        for (String parent : parents) {
            ClassFile found = parent == null ? null : find(parent);
            if (found != null && has(found, member)) {
                return true;
            }
        }
        return false;
    }

    private ClassFile find(String name) {
        try {
            return (name.startsWith(ANDROID) ? api : others).get(name).getClassFile2();
        } catch (NotFoundException e) {
            return null;
        }
    }
}
