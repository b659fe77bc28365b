package org.navitas.instrument.probes;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import javassist.bytecode.ConstPool;
import javassist.bytecode.FieldInfo;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.ThrowingCode;

/**
 * Finds code that cannot throw, so that its probes need no handler: no calls, arrays, divisions, objects or strings, and
 * no fields other than those that the class itself declares, of {@code this} or static.
 */
final class Throwless {
    private final ClassFile file;
    private final ConstPool pool;
    /** The class's fields and static fields, once a method needs them. */
    private Set<String> fields;

    private Set<String> statics;

    Throwless(ClassFile file) {
        this.file = file;
        pool = file.getConstPool();
    }

    /** Returns whether no instruction in these ranges can throw. */
    boolean is(MethodInfo method, CodeScan scan, List<int[]> ranges) {
        if ((method.getAccessFlags() & AccessFlag.SYNCHRONIZED) != 0
                || method.getCodeAttribute().getExceptionTable().size() > 0) {
            return false;
        }
        // Most methods contain a call, so this ends soon. Only the others need the checks of fields, which take longer.
        List<Integer> accesses = new ArrayList<>();
        for (int i = 0; i < scan.starts.size(); i++) {
            int pc = scan.starts.get(i);
            if (isIn(ranges, pc)) {
                if (isFieldAccess(scan.opcode(pc))) {
                    accesses.add(i);
                } else if (ThrowingCode.at(scan, pool, pc) || isString(scan, pc)) {
                    return false;
                }
            }
        }
        return accesses.isEmpty() || areSafe(accesses, method, scan);
    }

    private static boolean isIn(List<int[]> ranges, int pc) {
        for (int[] range : ranges) {
            if (pc >= range[0] && pc < range[1]) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFieldAccess(int op) {
        return op >= Opcode.GETSTATIC && op <= Opcode.PUTFIELD;
    }

    private boolean isString(CodeScan scan, int pc) {
        int op = scan.opcode(pc);
        return op == Opcode.LDC && pool.getTag(scan.u1(pc + 1)) == ConstPool.CONST_String
                || op == Opcode.LDC_W && pool.getTag(scan.u2(pc + 1)) == ConstPool.CONST_String;
    }

    /** Returns whether these instructions access only own fields, of {@code this} or static. */
    private boolean areSafe(List<Integer> accesses, MethodInfo method, CodeScan scan) {
        noteFields();
        boolean ownThis = (method.getAccessFlags() & AccessFlag.STATIC) == 0 && !storesThis(scan);
        Set<Integer> targets = new HashSet<>();
        scan.starts.forEach(pc -> targets.addAll(scan.targets(pc)));
        for (int index : accesses) {
            int pc = scan.starts.get(index);
            int op = scan.opcode(pc);
            boolean isStatic = op == Opcode.GETSTATIC || op == Opcode.PUTSTATIC;
            boolean isSafe = isStatic ? isInitialized(method) : ownThis && isOfThis(scan, index, targets);
            if (!isSafe || !isOwn(isStatic ? statics : fields, scan.u2(pc + 1))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the class is initialized when the method runs. An object can exist although an initializer has failed: that
     * of the class, or of one that it extends.
     */
    private boolean isInitialized(MethodInfo method) {
        boolean cannotFail = file.getStaticInitializer() == null
                && file.getInterfaces().length == 0
                && String.valueOf(file.getSuperclass()).equals("java.lang.Object");
        return (method.getAccessFlags() & AccessFlag.STATIC) != 0 || method.isConstructor() || cannotFail;
    }

    private void noteFields() {
        if (fields == null) {
            fields = new HashSet<>();
            statics = new HashSet<>();
            for (FieldInfo each : file.getFields()) {
                ((each.getAccessFlags() & AccessFlag.STATIC) != 0 ? statics : fields)
                        .add(each.getName() + ":" + each.getDescriptor());
            }
        }
    }

    /** Whether the object of a field access is {@code this}, and no jump leads between the instructions that say so. */
    private static boolean isOfThis(CodeScan scan, int index, Set<Integer> targets) {
        if (targets.contains(scan.starts.get(index))) {
            return false;
        }
        if (scan.opcode(scan.starts.get(index)) == Opcode.GETFIELD) {
            return isThis(scan, index - 1);
        }
        return index >= 1
                && !targets.contains(scan.starts.get(index - 1))
                && isSimple(scan.opcode(scan.starts.get(index - 1)))
                && isThis(scan, index - 2);
    }

    /** Whether the instruction only pushes a constant or a local variable. Constants are checked on their own. */
    private static boolean isSimple(int op) {
        return op >= Opcode.ACONST_NULL && op <= Opcode.ALOAD_3;
    }

    private static boolean isThis(CodeScan scan, int index) {
        return index >= 0 && scan.opcode(scan.starts.get(index)) == Opcode.ALOAD_0;
    }

    private boolean isOwn(Set<String> own, int ref) {
        return pool.getFieldrefClassName(ref).equals(file.getName())
                && own.contains(pool.getFieldrefName(ref) + ":" + pool.getFieldrefType(ref));
    }

    /** Whether the code can store to the variable of {@code this}; wide instructions count as such. */
    private static boolean storesThis(CodeScan scan) {
        for (int pc : scan.starts) {
            int op = scan.opcode(pc);
            if (op == Opcode.ASTORE_0 || op == Opcode.WIDE || op == Opcode.ASTORE && scan.u1(pc + 1) == 0) {
                return true;
            }
        }
        return false;
    }
}
