package org.navitas.instrument.hooks;

import java.util.Collections;
import java.util.List;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.AnnotationsAttribute;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.annotation.Annotation;
import org.navitas.instrument.code.CallStarts;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.MalformedClassException;

/**
 * Inserts calls of hooks at the start of methods that override a callback of the platform ({@link HookTable}). Such a
 * method gets an annotation, by which hooks recognise it at run time. Also adds callbacks to classes that lack them
 * ({@code MissingCallbacks}).
 *
 * <p>The hook finds out whether the object is of the callback's class. So inserted calls depend on the class file alone,
 * and not on what is known of its superclasses. Methods that may be of another class cost one call.
 */
public final class Callbacks {
    /** The annotation, which the hooks' jar contains. */
    public static final String MARK = "org.navitas.hooks.intents.Received";
    /** The oldest class file version in which code can load a class constant: Java 5. */
    private static final int CLASS_CONSTANTS = 49;

    private static final int POOL_LIMIT = 65000;

    private Callbacks() {}

    /**
     * Inserts the calls in all methods of a class.
     *
     * @return the number of inserted calls
     * @throws MalformedClassException if the code of a method cannot be parsed
     */
    public static int insert(ClassFile file, HookTable table) throws MalformedClassException, BadBytecode {
        if (!canCall(file)) {
            return 0;
        }
        int inserted = 0;
        for (MethodInfo method : file.getMethods()) {
            HookTable.Hook hook = table.start(method.getName(), method.getDescriptor());
            boolean skipped =
                    (method.getAccessFlags() & (AccessFlag.STATIC | AccessFlag.BRIDGE | AccessFlag.PRIVATE)) != 0;
            if (hook != null && !skipped && method.getCodeAttribute() != null) {
                inserted += insert(file, method, hook) ? 1 : 0;
            }
        }
        return inserted;
    }

    /**
     * Adds the callbacks that the class gets. Each calls its hook, and then the superclass's method.
     *
     * @return the number of added methods
     */
    public static int add(ClassFile file, HookTable table) {
        List<HookTable.Added> missing = table.added(file.getName());
        if (missing.isEmpty() || !canCall(file)) {
            return 0;
        }
        int added = 0;
        for (HookTable.Added each : missing) {
            if (!declares(file, each.name, each.descriptor)) {
                add(file, each);
                added++;
            }
        }
        return added;
    }

    private static void add(ClassFile file, HookTable.Added callback) {
        ConstPool pool = file.getConstPool();
        Bytecode code = new Bytecode(pool);
        int slots = load(code, callback.descriptor);
        code.addLdc(pool.getThisClassInfo());
        code.addInvokestatic(callback.hook.className, callback.hook.name, callback.hook.descriptor);
        load(code, callback.descriptor);
        code.addInvokespecial(file.getSuperclass(), callback.name, callback.descriptor);
        code.addReturn(null);
        code.setMaxLocals(slots);
        code.setMaxStack(slots + 1);
        MethodInfo method = new MethodInfo(pool, callback.name, callback.descriptor);
        method.setAccessFlags((callback.isPublic ? AccessFlag.PUBLIC : AccessFlag.PROTECTED) | AccessFlag.SYNTHETIC);
        method.setCodeAttribute(code.toCodeAttribute());
        mark(method, pool);
        file.addMethod2(method); // the caller has checked that there is none
    }

    private static boolean declares(ClassFile file, String name, String descriptor) {
        for (MethodInfo method : file.getMethods()) {
            if (method.getName().equals(name) && method.getDescriptor().equals(descriptor)) {
                return true;
            }
        }
        return false;
    }

    private static boolean canCall(ClassFile file) {
        return file.getMajorVersion() >= CLASS_CONSTANTS
                && !file.isInterface()
                && file.getConstPool().getSize() <= POOL_LIMIT;
    }

    private static boolean insert(ClassFile file, MethodInfo method, HookTable.Hook hook)
            throws MalformedClassException, BadBytecode {
        CodeAttribute code = method.getCodeAttribute();
        CodeScan scan = new CodeScan(code.getCode());
        CallStarts starts = CallStarts.of(method, scan, file);
        CallStarts.Place place =
                starts == null ? null : starts.places.get(starts.places.size() - 1); // a suspend function's: a new call
        if (place == null || place.kind != CallStarts.Kind.ENTER) {
            return false;
        }
        ConstPool pool = file.getConstPool();
        Bytecode call = new Bytecode(pool);
        int slots = load(call, method.getDescriptor());
        call.addLdc(pool.getThisClassInfo());
        call.addInvokestatic(hook.className, hook.name, hook.descriptor);
        byte[] bytes = call.get();
        if (scan.exceedsLimits(Collections.singletonList(place), bytes.length, 0) || slots > code.getMaxLocals()) {
            return false;
        }
        CodeIterator iterator = code.iterator();
        if (place.forBranches) {
            iterator.insertAt(place.pc, bytes);
        } else {
            iterator.insertEx(place.pc, bytes);
        }
        code.setMaxStack(Math.max(code.getMaxStack(), slots + 1));
        mark(method, pool);
        return true;
    }

    /** Loads the object and the parameters; returns how many slots they take. */
    private static int load(Bytecode code, String descriptor) {
        code.addAload(0);
        int slot = 1;
        for (int i = 1; descriptor.charAt(i) != ')'; i++) {
            int from = i;
            while (descriptor.charAt(i) == '[') {
                i++;
            }
            char type = descriptor.charAt(i);
            if (type == 'L') {
                i = descriptor.indexOf(';', i);
            }
            if (type == 'L' || from < i && descriptor.charAt(from) == '[') {
                code.addAload(slot++);
            } else if (type == 'J') {
                code.addLload(slot);
                slot += 2;
            } else if (type == 'D') {
                code.addDload(slot);
                slot += 2;
            } else if (type == 'F') {
                code.addFload(slot++);
            } else {
                code.addIload(slot++);
            }
        }
        return slot;
    }

    private static void mark(MethodInfo method, ConstPool pool) {
        AnnotationsAttribute visible = (AnnotationsAttribute) method.getAttribute(AnnotationsAttribute.visibleTag);
        if (visible == null) {
            visible = new AnnotationsAttribute(pool, AnnotationsAttribute.visibleTag);
            method.addAttribute(visible);
        }
        visible.addAnnotation(new Annotation(MARK, pool));
    }
}
