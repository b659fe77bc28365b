package org.navitas.instrument.code;

import javassist.bytecode.ConstPool;
import javassist.bytecode.Opcode;

/** Decides whether an instruction can throw an exception or an error (JVMS 6.5), also one of linking. */
public final class ThrowingCode {
    private ThrowingCode() {}

    /** How an instruction can leave its block. */
    public enum Exit {
        /** It cannot. */
        NONE,
        /** By an exception that the machine throws, while no other code runs. */
        AT_ONCE,
        /** By an exception of other code that it runs, also for a class to load or to initialize. */
        LATER
    }

    /** Returns how the instruction at {@code pc} can leave its block. */
    public static Exit exit(CodeScan code, ConstPool pool, int pc) {
        if (!at(code, pool, pc)) {
            return Exit.NONE;
        }
        int op = code.opcode(pc);
        return op < Opcode.GETSTATIC && op != Opcode.LDC && op != Opcode.LDC_W && op != Opcode.LDC2_W
                        || op == Opcode.GETFIELD
                        || op == Opcode.PUTFIELD
                        || op == Opcode.NEWARRAY
                        || op == Opcode.ARRAYLENGTH
                ? Exit.AT_ONCE
                : Exit.LATER;
    }

    /** Returns whether the instruction at {@code pc} can throw. Memory for constants of strings counts as available. */
    public static boolean at(CodeScan code, ConstPool pool, int pc) {
        int op = code.opcode(pc);
        if (op == Opcode.LDC || op == Opcode.LDC_W || op == Opcode.LDC2_W) {
            return !isPlain(pool.getTag(op == Opcode.LDC ? code.u1(pc + 1) : code.u2(pc + 1)));
        }
        return op >= Opcode.IALOAD && op <= Opcode.SALOAD
                || op >= Opcode.IASTORE && op <= Opcode.SASTORE
                || op == Opcode.IDIV
                || op == Opcode.LDIV
                || op == Opcode.IREM
                || op == Opcode.LREM
                || op >= Opcode.GETSTATIC
                        && op <= Opcode.MONITOREXIT // fields, calls, new, arrays, athrow, casts, monitors
                || op == Opcode.MULTIANEWARRAY;
    }

    private static boolean isPlain(int tag) {
        return tag == ConstPool.CONST_Integer
                || tag == ConstPool.CONST_Float
                || tag == ConstPool.CONST_Long
                || tag == ConstPool.CONST_Double
                || tag == ConstPool.CONST_String;
    }
}
