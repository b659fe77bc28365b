package org.navitas.instrument.code;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import javassist.bytecode.StackMapTable;

/**
 * The verification types before each block of a method. They come from its stack map frames if it has some.
 * Otherwise the code is followed until nothing changes; references that can be of two classes are then unknown.
 */
public final class TypeFlow {
    /** The first class file version whose verifier reads stack maps. */
    private static final int STACK_MAP_VERSION = 50;

    private static final long MOST_TYPES = 1 << 24;

    /** Whether jumps lead to stack map frames only. */
    public final boolean framed;
    /** States at jumps' targets and handlers, if {@link #framed}. */
    public final Map<Integer, TypeState> frames;

    private final Map<Integer, TypeState> states = new HashMap<>();
    private final BitSet starts = new BitSet();
    private final CodeScan scan;
    private final ExceptionTable handlers;
    private final ConstPool pool;
    private final String thisClass;

    private TypeFlow(ClassFile file, MethodInfo method, CodeScan scan, BasicBlocks blocks)
            throws MalformedClassException, BadBytecode {
        CodeAttribute code = method.getCodeAttribute();
        this.scan = scan;
        for (BasicBlocks.Block block : blocks.blocks()) {
            starts.set(block.firstPc);
        }
        handlers = code.getExceptionTable();
        pool = file.getConstPool();
        thisClass = file.getName();
        boolean isStatic = (method.getAccessFlags() & AccessFlag.STATIC) != 0;
        TypeState first = TypeState.first(method, thisClass, code.getMaxLocals(), isStatic);
        StackMapTable table = (StackMapTable) code.getAttribute(StackMapTable.tag);
        checkSize(code.getMaxLocals(), starts.cardinality() + FrameOffsets.of(table).count);
        frames = table == null || file.getMajorVersion() < STACK_MAP_VERSION
                ? new HashMap<>()
                : FrameTypes.of(table, first, pool, thisClass);
        framed = targetsHaveFrames();
        if (framed) {
            follow(first);
        } else {
            checkSize(code.getMaxLocals(), scan.starts.size());
            search(first);
        }
    }

    /**
     * Finds the types of a method.
     *
     * @throws MalformedClassException if the code would not pass the verifier, or has subroutines
     * @throws BadBytecode if its stack map frames cannot be read
     */
    public static TypeFlow of(ClassFile file, MethodInfo method, CodeScan scan, BasicBlocks blocks)
            throws MalformedClassException, BadBytecode {
        for (int pc : scan.starts) {
            int op = scan.opcode(pc);
            if (op == Opcode.JSR || op == Opcode.JSR_W || op == Opcode.RET) {
                throw new MalformedClassException("the method has subroutines");
            }
        }
        return new TypeFlow(file, method, scan, blocks);
    }

    /** Refuses methods whose states would not fit into memory, which only crafted class files have. */
    private static void checkSize(int locals, int states) throws MalformedClassException {
        if ((long) locals * states > MOST_TYPES) {
            throw new MalformedClassException("the method has too many local variables");
        }
    }

    /** Returns the state before a block's first instruction, or null if it never runs. */
    public TypeState before(int pc) {
        return states.get(pc);
    }

    /** Applies an instruction to a state. */
    public void execute(int pc, TypeState state) throws MalformedClassException {
        state.execute(scan, pc, pool, thisClass);
    }

    private boolean targetsHaveFrames() {
        for (int pc : scan.starts) {
            if (!frames.keySet().containsAll(scan.targets(pc))) {
                return false;
            }
        }
        for (int i = 0; i < handlers.size(); i++) {
            if (!frames.containsKey(handlers.handlerPc(i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the next instruction cannot run directly after the one at an offset. */
    public static boolean leaves(CodeScan scan, int pc) {
        int op = scan.opcode(pc);
        return CodeScan.isReturn(op)
                || op == Opcode.ATHROW
                || op == Opcode.GOTO
                || op == Opcode.GOTO_W
                || op == Opcode.TABLESWITCH
                || op == Opcode.LOOKUPSWITCH;
    }

    private void follow(TypeState first) throws MalformedClassException {
        TypeState state = first;
        for (int pc : scan.starts) {
            TypeState frame = frames.get(pc);
            state = frame != null ? frame.copy() : state;
            if (state == null) {
                throw new MalformedClassException("code after a jump has no stack map frame");
            }
            if (starts.get(pc)) {
                states.put(pc, state.copy());
            }
            execute(pc, state);
            state = leaves(scan, pc) ? null : state;
        }
    }

    private void search(TypeState first) throws MalformedClassException {
        Deque<Integer> todo = new ArrayDeque<>();
        reach(0, first, todo);
        while (!todo.isEmpty()) {
            int pc = todo.poll();
            TypeState state = states.get(pc).copy();
            intoHandlers(pc, state, todo);
            execute(pc, state);
            List<Integer> targets = scan.targets(pc);
            for (int target : targets) {
                reach(target, state, todo);
            }
            if (!leaves(scan, pc) && scan.next(pc) < scan.length()) {
                reach(scan.next(pc), state, todo);
            }
        }
    }

    private void intoHandlers(int pc, TypeState state, Deque<Integer> todo) throws MalformedClassException {
        for (int i = 0; i < handlers.size(); i++) {
            if (handlers.startPc(i) <= pc && pc < handlers.endPc(i)) {
                TypeState caught = state.copy();
                caught.stack.clear();
                caught.push(VerifierTypes.SOME_OBJECT);
                reach(handlers.handlerPc(i), caught, todo);
            }
        }
    }

    private void reach(int pc, TypeState state, Deque<Integer> todo) throws MalformedClassException {
        TypeState known = states.get(pc);
        if (known == null) {
            states.put(pc, state.copy());
            todo.add(pc);
        } else if (known.merge(state)) {
            todo.add(pc);
        }
    }
}
