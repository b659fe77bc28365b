package org.navitas.instrument.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.Descriptor;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/**
 * Finds the calls of {@code super(…)} or {@code this(…)} in a constructor, and all code that runs before they return.
 * No exception handler may cover that code, and it must not use {@code this} (JVMS 4.10.2.4).
 *
 * <p>Follows the code from its start. Tracks for each stack slot and local variable whether it holds the uninitialised
 * {@code this}, so branches in the arguments and nested {@code new} of the same class are handled. Instructions that
 * only compute never consume that value, so only their change of the stack depth matters.
 */
public final class ConstructorFlow {
    /** Offsets of the initialising calls, ascending; at least one. */
    final List<Integer> calls = new ArrayList<>();

    private final CodeScan scan;
    private final CodeAttribute code;
    private final ConstPool pool;
    private final BitSet before = new BitSet();
    private final CoveringRanges handlers;
    private final Deque<State> todo = new ArrayDeque<>();

    private ConstructorFlow(CodeAttribute code, CodeScan scan) {
        this.code = code;
        this.scan = scan;
        this.pool = code.getConstPool();
        handlers = new CoveringRanges(code.getExceptionTable(), code.getCodeLength());
    }

    /** Analyses a constructor; returns null if it never calls another constructor or is invalid. */
    static ConstructorFlow of(CodeAttribute code, CodeScan scan) {
        ConstructorFlow flow = new ConstructorFlow(code, scan);
        try {
            flow.walk();
        } catch (MalformedClassException e) {
            return null;
        }
        flow.calls.sort(null);
        return flow.calls.isEmpty() ? null : flow;
    }

    /** Returns the code that runs after initialisation, as {start, end} pairs in ascending order. */
    List<int[]> after() {
        List<int[]> ranges = new ArrayList<>();
        int start = -1;
        for (int pc : scan.starts) {
            if (!before.get(pc)) {
                start = start < 0 ? pc : start;
            } else if (start >= 0) {
                ranges.add(new int[] {start, pc});
                start = -1;
            }
        }
        if (start >= 0) {
            ranges.add(new int[] {start, code.getCodeLength()});
        }
        return ranges;
    }

    private static final class State {
        int pc;
        final BitSet locals;
        final BitSet stack;
        int depth;

        State(int pc, BitSet locals, BitSet stack, int depth) {
            this.pc = pc;
            this.locals = locals;
            this.stack = stack;
            this.depth = depth;
        }

        State at(int target) {
            return new State(target, (BitSet) locals.clone(), (BitSet) stack.clone(), depth);
        }

        void grow(int words) throws MalformedClassException {
            depth += words;
            if (depth < 0) {
                throw new MalformedClassException("stack underflow at " + pc);
            }
            int from = depth - Math.max(words, 0);
            if (from < stack.length()) {
                stack.clear(from, stack.length());
            }
        }

        boolean pop() throws MalformedClassException {
            boolean top = depth > 0 && stack.get(depth - 1);
            grow(-1);
            return top;
        }

        /** Copies the top {@code words} below the {@code under} words beneath them (dup, dup_x1, dup2_x2 …). */
        void duplicate(int words, int under) throws MalformedClassException {
            int from = depth - words - under;
            if (from < 0) {
                throw new MalformedClassException("stack underflow at " + pc);
            }
            BitSet old = (BitSet) stack.clone();
            for (int i = 0; i < words; i++) {
                stack.set(from + i, old.get(depth - words + i));
            }
            for (int i = 0; i < words + under; i++) {
                stack.set(from + words + i, old.get(from + i));
            }
            depth += words;
        }
    }

    private void walk() throws MalformedClassException {
        BitSet locals = new BitSet();
        locals.set(0);
        if (isNew(0)) {
            todo.add(new State(0, locals, new BitSet(), 0));
        }
        while (!todo.isEmpty()) {
            State state = todo.poll();
            handlers(state);
            step(state);
        }
    }

    /** Returns whether an instruction was not reached before. Only the first state there counts. */
    private boolean isNew(int pc) throws MalformedClassException {
        if (pc < 0 || pc >= code.getCodeLength()) {
            throw new MalformedClassException("branch out of the code");
        }
        boolean isNew = !before.get(pc);
        before.set(pc);
        return isNew;
    }

    private void handlers(State state) throws MalformedClassException {
        for (int entry : handlers.next(state.pc)) {
            int handler = code.getExceptionTable().handlerPc(entry);
            if (isNew(handler)) {
                todo.add(new State(handler, (BitSet) state.locals.clone(), new BitSet(), 1));
            }
        }
    }

    private void step(State state) throws MalformedClassException {
        int pc = state.pc;
        int op = scan.opcode(pc);
        if (CodeScan.isReturn(op) || op == Opcode.JSR || op == Opcode.JSR_W || op == Opcode.RET) {
            throw new MalformedClassException("constructor returns before it calls another one");
        }
        if (op == Opcode.INVOKESPECIAL && initialisesThis(state)) {
            calls.add(pc);
            return;
        }
        execute(op, state);
        for (int target : scan.targets(pc)) {
            if (isNew(target)) {
                todo.add(state.at(target));
            }
        }
        boolean ends = op == Opcode.ATHROW
                || op == Opcode.GOTO
                || op == Opcode.GOTO_W
                || op == Opcode.TABLESWITCH
                || op == Opcode.LOOKUPSWITCH;
        if (!ends && isNew(scan.next(pc))) {
            state.pc = scan.next(pc);
            todo.add(state);
        }
    }

    private boolean initialisesThis(State state) {
        int method = scan.u2(state.pc + 1);
        int receiver = state.depth - 1 - Descriptor.paramSize(typeOf(method));
        return receiver >= 0
                && state.stack.get(receiver)
                && MethodInfo.nameInit.equals(
                        pool.getUtf8Info(pool.getNameAndTypeName(CodeMember.nameAndType(pool, method))));
    }

    private void execute(int op, State state) throws MalformedClassException {
        int pc = state.pc;
        if (op == Opcode.ALOAD || op >= Opcode.ALOAD_0 && op <= Opcode.ALOAD_3) {
            load(state, op == Opcode.ALOAD ? scan.u1(pc + 1) : op - Opcode.ALOAD_0);
        } else if (op == Opcode.ASTORE || op >= Opcode.ASTORE_0 && op <= Opcode.ASTORE_3) {
            store(state, op == Opcode.ASTORE ? scan.u1(pc + 1) : op - Opcode.ASTORE_0);
        } else if (op >= Opcode.DUP && op <= Opcode.DUP2_X2) {
            int kind = op - Opcode.DUP;
            state.duplicate(kind / 3 + 1, kind % 3);
        } else if (op == Opcode.SWAP) {
            boolean top = state.pop();
            boolean below = state.pop();
            state.stack.set(state.depth, top);
            state.stack.set(state.depth + 1, below);
            state.depth += 2;
        } else if (op == Opcode.WIDE) {
            wide(state);
        } else if (op >= Opcode.GETSTATIC && op <= Opcode.INVOKEDYNAMIC) {
            member(op, state);
        } else if (op == Opcode.MULTIANEWARRAY) {
            state.grow(1 - scan.u1(pc + 3));
        } else {
            state.grow(Opcode.STACK_GROW[op]);
        }
    }

    private void wide(State state) throws MalformedClassException {
        int op = scan.opcode(state.pc + 1);
        int local = scan.u2(state.pc + 2);
        if (op == Opcode.ALOAD) {
            load(state, local);
        } else if (op == Opcode.ASTORE) {
            store(state, local);
        } else {
            state.grow(Opcode.STACK_GROW[op]);
        }
    }

    private static void load(State state, int local) throws MalformedClassException {
        state.grow(1);
        state.stack.set(state.depth - 1, state.locals.get(local));
    }

    private static void store(State state, int local) throws MalformedClassException {
        state.locals.set(local, state.pop());
    }

    private void member(int op, State state) throws MalformedClassException {
        String type = typeOf(scan.u2(state.pc + 1));
        int size = Descriptor.dataSize(type);
        if (op == Opcode.PUTSTATIC || op == Opcode.PUTFIELD) {
            size = -size;
        }
        boolean receiver = op != Opcode.GETSTATIC
                && op != Opcode.PUTSTATIC
                && op != Opcode.INVOKESTATIC
                && op != Opcode.INVOKEDYNAMIC;
        int consumed = op >= Opcode.INVOKEVIRTUAL ? Descriptor.paramSize(type) : 0;
        state.grow(-consumed - (receiver ? 1 : 0));
        state.grow(size + consumed);
    }

    private String typeOf(int member) {
        return pool.getUtf8Info(pool.getNameAndTypeDescriptor(CodeMember.nameAndType(pool, member)));
    }
}
