package org.navitas.instrument.code;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javassist.bytecode.ConstPool;
import javassist.bytecode.Descriptor;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/** The verification types of local variables and of the stack at one instruction, and how instructions change them. */
public final class TypeState {
    /** Types that instructions push, in the order of opcodes: constants, loads from arrays, conversions; {@code newarray}'s types. */
    private static final String[] CONSTANTS = {
        "N", "I", "I", "I", "I", "I", "I", "I", "J", "J", "F", "F", "F", "D", "D", "I", "I"
    };

    private static final String ARRAYS = "IJFDAIII";
    private static final String CONVERTED = "JFDIFDIJDIJFIII";
    private static final String NEW_ARRAYS = "ZCFDBSIJ";

    public final String[] locals;
    public final List<String> stack = new ArrayList<>();

    TypeState(int maxLocals) {
        locals = new String[maxLocals];
        Arrays.fill(locals, VerifierTypes.TOP);
    }

    /** Returns the state at a method's start. */
    static TypeState first(MethodInfo method, String thisClass, int maxLocals, boolean isStatic) {
        TypeState state = new TypeState(maxLocals);
        int local = 0;
        if (!isStatic) {
            state.set(
                    local++,
                    method.isConstructor() ? VerifierTypes.UNINITIALISED_THIS : VerifierTypes.object(thisClass));
        }
        String descriptor = method.getDescriptor();
        for (int at = 1; descriptor.charAt(at) != ')'; at = end(descriptor, at)) {
            String type = VerifierTypes.ofDescriptor(descriptor.substring(at, end(descriptor, at)));
            state.set(local, type);
            local += VerifierTypes.isWide(type) ? 2 : 1;
        }
        return state;
    }

    private static int end(String descriptor, int at) {
        int end = at;
        while (descriptor.charAt(end) == '[') {
            end++;
        }
        return descriptor.charAt(end) == 'L' ? descriptor.indexOf(';', end) + 1 : end + 1;
    }

    public TypeState copy() {
        TypeState copy = new TypeState(locals.length);
        System.arraycopy(locals, 0, copy.locals, 0, locals.length);
        copy.stack.addAll(stack);
        return copy;
    }

    /** Keeps what is known of this state and of another one; returns whether that is less than before. */
    boolean merge(TypeState other) throws MalformedClassException {
        if (stack.size() != other.stack.size()) {
            throw new MalformedClassException("the stack has different depths at one instruction");
        }
        boolean changed = false;
        for (int i = 0; i < locals.length; i++) {
            String merged = VerifierTypes.merged(locals[i], other.locals[i]);
            changed |= !merged.equals(locals[i]);
            locals[i] = merged;
        }
        for (int i = 0; i < stack.size(); i++) {
            String merged = VerifierTypes.merged(stack.get(i), other.stack.get(i));
            changed |= !merged.equals(stack.get(i));
            stack.set(i, merged);
        }
        return changed;
    }

    /** Sets a local variable. What it overwrites in part becomes unusable. */
    void set(int local, String type) {
        if (local > 0 && VerifierTypes.isWide(locals[local - 1])) {
            locals[local - 1] = VerifierTypes.TOP;
        }
        boolean wide = VerifierTypes.isWide(type);
        int next = local + (wide ? 2 : 1);
        if (next < locals.length && locals[next].equals(VerifierTypes.SECOND)) {
            locals[next] = VerifierTypes.TOP;
        }
        locals[local] = type;
        if (wide) {
            locals[local + 1] = VerifierTypes.SECOND;
        }
    }

    void push(String type) {
        if (type.equals("V")) {
            return;
        }
        stack.add(type);
        if (VerifierTypes.isWide(type)) {
            stack.add(VerifierTypes.SECOND);
        }
    }

    /** Removes words; returns the lowest of them, which is the type of a single value. */
    String pop(int words) throws MalformedClassException {
        if (stack.size() < words) {
            throw new MalformedClassException("stack underflow");
        }
        String type = words == 0 ? VerifierTypes.TOP : stack.get(stack.size() - words);
        stack.subList(stack.size() - words, stack.size()).clear();
        return type;
    }

    /** Applies the instruction at an offset, without its jump. */
    void execute(CodeScan code, int pc, ConstPool pool, String thisClass) throws MalformedClassException {
        int op = code.opcode(pc);
        LocalUse use = LocalUse.at(code, pc);
        if (use != null) {
            local(use);
        } else if (op >= Opcode.GETSTATIC && op <= Opcode.INVOKEDYNAMIC) {
            member(op, code, pc, pool, thisClass);
        } else if (op >= Opcode.DUP && op <= Opcode.DUP2_X2) {
            duplicate((op - Opcode.DUP) / 3 + 1, (op - Opcode.DUP) % 3);
        } else if (op == Opcode.SWAP) {
            String top = pop(1);
            stack.add(stack.size() - 1, top);
        } else if (op >= Opcode.LDC && op <= Opcode.LDC2_W) {
            push(constant(pool, op == Opcode.LDC ? code.u1(pc + 1) : code.u2(pc + 1)));
        } else if (op >= Opcode.NEW && op <= Opcode.CHECKCAST
                || op == Opcode.INSTANCEOF
                || op == Opcode.MULTIANEWARRAY) {
            object(op, code, pc, pool);
        } else {
            fixed(op);
        }
    }

    private void local(LocalUse use) throws MalformedClassException {
        if (use.local + (use.isWide() ? 2 : 1) > locals.length) {
            throw new MalformedClassException("a local variable is out of bounds");
        }
        if (use.kind == LocalUse.Kind.LOAD) {
            push(use.type == 'A' ? locals[use.local] : String.valueOf(use.type));
        } else if (use.kind == LocalUse.Kind.STORE) {
            String type = pop(use.isWide() ? 2 : 1);
            set(use.local, use.type == 'A' ? type : String.valueOf(use.type));
        }
    }

    private void duplicate(int words, int under) throws MalformedClassException {
        int from = stack.size() - words - under;
        if (from < 0) {
            throw new MalformedClassException("stack underflow");
        }
        stack.addAll(from, new ArrayList<>(stack.subList(stack.size() - words, stack.size())));
    }

    private static String constant(ConstPool pool, int index) {
        switch (pool.getTag(index)) {
            case ConstPool.CONST_Integer:
                return VerifierTypes.INT;
            case ConstPool.CONST_Float:
                return VerifierTypes.FLOAT;
            case ConstPool.CONST_Long:
                return VerifierTypes.LONG;
            case ConstPool.CONST_Double:
                return VerifierTypes.DOUBLE;
            case ConstPool.CONST_String:
                return VerifierTypes.object("java.lang.String");
            case ConstPool.CONST_Class:
                return VerifierTypes.object("java.lang.Class");
            case ConstPool.CONST_Dynamic:
                return VerifierTypes.ofDescriptor(
                        pool.getUtf8Info(pool.getNameAndTypeDescriptor(pool.getDynamicNameAndType(index))));
            default:
                return VerifierTypes.SOME_OBJECT; // a method handle or a method type
        }
    }

    private void object(int op, CodeScan code, int pc, ConstPool pool) throws MalformedClassException {
        switch (op) {
            case Opcode.NEW:
                push(VerifierTypes.UNINITIALISED + pc);
                break;
            case Opcode.NEWARRAY:
                pop(1);
                push(VerifierTypes.object("[" + NEW_ARRAYS.charAt(code.u1(pc + 1) - 4)));
                break;
            case Opcode.ANEWARRAY:
                pop(1);
                push(VerifierTypes.object("[" + descriptor(pool, code.u2(pc + 1))));
                break;
            case Opcode.ARRAYLENGTH:
            case Opcode.INSTANCEOF:
                pop(1);
                push(VerifierTypes.INT);
                break;
            case Opcode.CHECKCAST:
                pop(1);
                push(VerifierTypes.ofDescriptor(descriptor(pool, code.u2(pc + 1))));
                break;
            case Opcode.MULTIANEWARRAY:
                pop(code.u1(pc + 3));
                push(VerifierTypes.ofDescriptor(descriptor(pool, code.u2(pc + 1))));
                break;
            default: // athrow
                pop(1);
        }
    }

    private static String descriptor(ConstPool pool, int classIndex) {
        return pool.getClassInfoByDescriptor(classIndex);
    }

    private void member(int op, CodeScan code, int pc, ConstPool pool, String thisClass)
            throws MalformedClassException {
        CodeMember member = CodeMember.of(pool, code.u2(pc + 1));
        boolean isField = op <= Opcode.PUTFIELD;
        if (op == Opcode.PUTFIELD || op == Opcode.PUTSTATIC) {
            pop(Descriptor.dataSize(member.descriptor));
        } else if (!isField) {
            pop(Descriptor.paramSize(member.descriptor));
        }
        if (op == Opcode.GETFIELD
                || op == Opcode.PUTFIELD
                || !isField && op != Opcode.INVOKESTATIC && op != Opcode.INVOKEDYNAMIC) {
            String receiver = pop(1);
            if (op == Opcode.INVOKESPECIAL && member.name.equals(MethodInfo.nameInit)) {
                initialise(receiver, code, pool, thisClass);
            }
        }
        if (op == Opcode.GETFIELD || op == Opcode.GETSTATIC) {
            push(VerifierTypes.ofDescriptor(member.descriptor));
        } else if (!isField && !member.descriptor.endsWith(")V")) {
            push(VerifierTypes.ofDescriptor(member.descriptor.substring(member.descriptor.indexOf(')') + 1)));
        }
    }

    private void initialise(String receiver, CodeScan code, ConstPool pool, String thisClass)
            throws MalformedClassException {
        if (!VerifierTypes.isUninitialised(receiver)) {
            throw new MalformedClassException("an object is initialised twice");
        }
        String type = receiver.equals(VerifierTypes.UNINITIALISED_THIS)
                ? VerifierTypes.object(thisClass)
                : VerifierTypes.object(pool.getClassInfo(code.u2(Integer.parseInt(receiver.substring(1)) + 1)));
        stack.replaceAll(each -> each.equals(receiver) ? type : each);
        Arrays.asList(locals).replaceAll(each -> each.equals(receiver) ? type : each);
    }

    private void fixed(int op) throws MalformedClassException {
        if (op >= Opcode.ACONST_NULL && op <= Opcode.SIPUSH) {
            push(CONSTANTS[op - Opcode.ACONST_NULL]);
        } else if (op >= Opcode.IALOAD && op <= Opcode.SALOAD) {
            String array = pop(2);
            char type = ARRAYS.charAt(op - Opcode.IALOAD);
            push(type == 'A' ? VerifierTypes.element(array) : String.valueOf(type));
        } else if (op >= Opcode.IADD && op <= Opcode.LXOR) {
            arithmetic(op);
        } else if (op >= Opcode.I2L && op <= Opcode.I2S) {
            int from = op >= Opcode.I2B ? 0 : (op - Opcode.I2L) / 3;
            pop(from % 2 + 1);
            push(String.valueOf(CONVERTED.charAt(op - Opcode.I2L)));
        } else if (op >= Opcode.LCMP && op <= Opcode.DCMPG) {
            pop(op == Opcode.FCMPL || op == Opcode.FCMPG ? 2 : 4);
            push(VerifierTypes.INT);
        } else {
            // Stores into arrays, jumps, returns, pop, monitors: they only remove words.
            int grow = Opcode.STACK_GROW[op];
            if (grow > 0) {
                throw new MalformedClassException("unexpected instruction " + op);
            }
            pop(-grow);
        }
    }

    private void arithmetic(int op) throws MalformedClassException {
        if (op >= Opcode.ISHL && op <= Opcode.LUSHR) {
            pop(1); // the number of bits; the value keeps its type
        } else if (op < Opcode.INEG || op >= Opcode.IAND) {
            boolean wide = (op < Opcode.INEG ? op - Opcode.IADD : op - Opcode.IAND) % 2
                    == 1; // in the order of int, long, float, double
            pop(wide ? 2 : 1);
        }
    }
}
