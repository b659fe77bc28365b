package org.navitas.instrument.code;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.FieldInfo;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/**
 * Finds where the state machine of a Kotlin suspend function distinguishes a new call from a resumed one.
 *
 * <p>A named function begins with {@code if ($completion instanceof Foo$bar$1 && ($completion.label & MIN_VALUE) !=
 * 0)}. A suspended call resumes with its own continuation, whose {@code invokeSuspend} set that bit. Both branches of
 * the condition have a place for a probe, so the method needs no added branch.
 *
 * <p>A lambda's {@code invokeSuspend} has a switch on its field {@code label}, which is 0 in a new call.
 *
 * <p>Both are found by what the code does, since compilers and their options, and tools such as JaCoCo, put other code
 * before and between. Names of fields and functions can be obfuscated. A suspend function without a state machine, in
 * which each suspension is the last action, is never resumed.
 */
public final class SuspendFunction {
    private static final String PACKAGE = "kotlin.coroutines.jvm.internal.";
    private static final String INVOKE = "invokeSuspend";
    private static final String INVOKE_TYPE = "(Ljava/lang/Object;)Ljava/lang/Object;";
    private static final String RETURNS_OBJECT = ")Ljava/lang/Object;";
    private static final int NOT_FOUND = -1;

    /** Where a suspended call resumes. */
    final int resumed;
    /** Where a new call begins, after {@link #resumed}. Each call passes one of the two places, once. */
    final int fresh;

    private SuspendFunction(int resumed, int fresh) {
        this.resumed = resumed;
        this.fresh = fresh;
    }

    /** Returns whether a class holds the state of a named function, which it calls again. */
    public static boolean isState(ClassFile file) {
        return extendsOneOf(file, "ContinuationImpl", "RestrictedContinuationImpl");
    }

    /** Returns whether a class is a suspend lambda. */
    public static boolean isLambda(ClassFile file) {
        return extendsOneOf(file, "SuspendLambda", "RestrictedSuspendLambda");
    }

    private static boolean extendsOneOf(ClassFile file, String plain, String restricted) {
        String superclass = file.getSuperclass();
        return (PACKAGE + plain).equals(superclass) || (PACKAGE + restricted).equals(superclass);
    }

    /** Returns whether the method is the one that resumes such a class. */
    public static boolean isInvokeSuspend(String name, String descriptor) {
        return name.equals(INVOKE) && descriptor.equals(INVOKE_TYPE);
    }

    /**
     * Returns the index of the Fieldref of a lambda's {@code label}: the field that the first switch of {@code
     * invokeSuspend} is on. Before it, the code can read other fields, such as the lambda's parameters. 0 if there is none.
     */
    static int labelOf(ClassFile file, CodeScan scan) {
        for (int i = 2; i < scan.starts.size(); i++) {
            if (CodeScan.isSwitch(scan.opcode(scan.starts.get(i)))) {
                int load = scan.starts.get(i - 1);
                boolean ofThis =
                        scan.opcode(load) == Opcode.GETFIELD && scan.opcode(scan.starts.get(i - 2)) == Opcode.ALOAD_0;
                return ofThis && isVariable(file, scan.u2(load + 1)) ? scan.u2(load + 1) : 0;
            }
        }
        return 0;
    }

    /** Returns whether a class declares a field as an int that changes; what a lambda captures does not. */
    private static boolean isVariable(ClassFile file, int field) {
        ConstPool pool = file.getConstPool();
        for (FieldInfo each : file.getFields()) {
            if (each.getName().equals(pool.getFieldrefName(field))
                    && each.getDescriptor().equals(pool.getFieldrefType(field))) {
                return each.getDescriptor().equals("I")
                        && pool.getFieldrefClassName(field).equals(file.getName())
                        && (each.getAccessFlags() & (AccessFlag.STATIC | AccessFlag.FINAL)) == 0;
            }
        }
        return false;
    }

    /** Returns the state machine at the start of a named function, or null. */
    static SuspendFunction of(MethodInfo method, CodeScan scan) throws MalformedClassException {
        int test = method.getDescriptor().endsWith(RETURNS_OBJECT) ? labelTest(scan, method.getConstPool()) : NOT_FOUND;
        if (test == NOT_FOUND) {
            return null;
        }
        ConstPool pool = method.getConstPool();
        int label = scan.u2(scan.starts.get(test - 3) + 1);
        int jump = scan.starts.get(test);
        int resumed = scan.opcode(jump) == Opcode.IFEQ
                ? scan.next(jump)
                : scan.targets(jump).get(0);
        int fresh = NOT_FOUND;
        boolean isOfState = false;
        BitSet start = new BitSet();
        Deque<Integer> todo = new ArrayDeque<>();
        todo.push(0);
        while (!todo.isEmpty()) {
            int pc = todo.pop();
            if (pc > resumed) {
                if (fresh != NOT_FOUND && pc != fresh) {
                    return null; // new calls do not have one place
                }
                fresh = pc;
            } else if (pc < resumed && !start.get(pc)) {
                start.set(pc);
                int op = scan.opcode(pc);
                if (CodeScan.isReturn(op) || op == Opcode.ATHROW) {
                    return null;
                }
                isOfState |= op == Opcode.INSTANCEOF
                        && pool.getClassInfo(scan.u2(pc + 1)).equals(pool.getFieldrefClassName(label));
                scan.targets(pc).forEach(todo::push);
                if (!TypeFlow.leaves(scan, pc)) {
                    todo.push(scan.next(pc));
                }
            }
        }
        boolean isWhole = isOfState
                && fresh != NOT_FOUND
                && stores(scan, resumed, label)
                && isPassedOnce(method, scan, start, resumed, fresh);
        return isWhole ? new SuspendFunction(resumed, fresh) : null;
    }

    /** Returns the position of the first jump that tests the lowest int in a field, as a place in {@link CodeScan#starts}. */
    private static int labelTest(CodeScan scan, ConstPool pool) {
        List<Integer> starts = scan.starts;
        for (int i = 3; i < starts.size(); i++) {
            int op = scan.opcode(starts.get(i));
            int field = starts.get(i - 3);
            if ((op == Opcode.IFEQ || op == Opcode.IFNE)
                    && scan.opcode(starts.get(i - 1)) == Opcode.IAND
                    && isLowest(scan, pool, starts.get(i - 2))
                    && scan.opcode(field) == Opcode.GETFIELD
                    && pool.getFieldrefType(scan.u2(field + 1)).equals("I")) {
                return i;
            }
        }
        return NOT_FOUND;
    }

    private static boolean isLowest(CodeScan scan, ConstPool pool, int pc) {
        int op = scan.opcode(pc);
        int constant = op == Opcode.LDC ? scan.u1(pc + 1) : op == Opcode.LDC_W ? scan.u2(pc + 1) : 0;
        return constant > 0
                && pool.getTag(constant) == ConstPool.CONST_Integer
                && pool.getIntegerInfo(constant) == Integer.MIN_VALUE;
    }

    /** Returns whether the code from an offset to its next jump stores a field: a resumed call takes the bit from its label. */
    private static boolean stores(CodeScan scan, int from, int field) throws MalformedClassException {
        for (int pc = from; scan.targets(pc).isEmpty() && !TypeFlow.leaves(scan, pc); pc = scan.next(pc)) {
            if (scan.opcode(pc) == Opcode.PUTFIELD && scan.u2(pc + 1) == field) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether only the method's start leads to itself and to the two places. */
    private static boolean isPassedOnce(MethodInfo method, CodeScan scan, BitSet start, int resumed, int fresh) {
        int before = 0;
        for (int pc : scan.starts) {
            before = pc < fresh ? pc : before;
            for (int target : scan.targets(pc)) {
                if (!start.get(pc) && (target <= resumed || target == fresh)) {
                    return false;
                }
            }
        }
        ExceptionTable handlers = method.getCodeAttribute().getExceptionTable();
        for (int i = 0; i < handlers.size(); i++) {
            if (handlers.handlerPc(i) <= resumed || handlers.handlerPc(i) == fresh) {
                return false;
            }
        }
        return scan.opcode(before) == Opcode.GOTO;
    }
}
