package org.navitas.instrument.choice;

import javassist.bytecode.AccessFlag;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.CodeScan;

/**
 * Recognises methods whose probes cost more than the method: getters, setters, and methods that return a constant or do
 * nothing. Their code only loads, stores and returns, without branches or calls. Kotlin's parameter checks do not count
 * as calls.
 */
final class TrivialMethod {
    private static final int LONGEST = 16;
    private static final String KOTLIN_CHECKS = "kotlin.jvm.internal.Intrinsics";

    private TrivialMethod() {}

    /**
     * Returns whether the method is trivial. Constructors and class initialisers never are: their calls count objects and
     * classes.
     */
    static boolean is(MethodInfo method, CodeScan scan) {
        boolean waits = (method.getAccessFlags() & AccessFlag.SYNCHRONIZED) != 0;
        if (!method.isMethod() || waits || scan.length() > LONGEST) {
            return false;
        }
        for (int pc : scan.starts) {
            int op = scan.opcode(pc);
            boolean plain = op <= Opcode.ALOAD_3
                    || op >= Opcode.ISTORE && op <= Opcode.ASTORE_3
                    || CodeScan.isReturn(op)
                    || op >= Opcode.GETSTATIC && op <= Opcode.PUTFIELD
                    || op == Opcode.CHECKCAST
                    || op == Opcode.POP
                    || op == Opcode.DUP;
            if (!plain && !(op == Opcode.INVOKESTATIC && isKotlinCheck(method.getConstPool(), scan.u2(pc + 1)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isKotlinCheck(ConstPool pool, int called) {
        return pool.getTag(called) == ConstPool.CONST_Methodref
                && pool.getMethodrefClassName(called).equals(KOTLIN_CHECKS);
    }
}
