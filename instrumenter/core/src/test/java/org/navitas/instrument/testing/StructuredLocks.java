package org.navitas.instrument.testing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import org.jf.dexlib2.Opcode;
import org.jf.dexlib2.iface.ClassDef;
import org.jf.dexlib2.iface.DexFile;
import org.jf.dexlib2.iface.ExceptionHandler;
import org.jf.dexlib2.iface.Method;
import org.jf.dexlib2.iface.MethodImplementation;
import org.jf.dexlib2.iface.TryBlock;
import org.jf.dexlib2.iface.instruction.Instruction;
import org.jf.dexlib2.iface.instruction.OffsetInstruction;
import org.jf.dexlib2.iface.instruction.OneRegisterInstruction;
import org.jf.dexlib2.iface.instruction.SwitchElement;
import org.jf.dexlib2.iface.instruction.SwitchPayload;
import org.jf.dexlib2.iface.instruction.TwoRegisterInstruction;

/**
 * Checks the locks of dex code as the verifier of Android's runtime does, for one method: each lock is released once on
 * every path, in reverse order, by a register with the locked object, and what can throw with a lock held has a handler of
 * all exceptions. Without it, the method is refused or only interpreted.
 *
 * <p>Faithful to that verifier: {@code monitor-exit} does not throw, {@code monitor-enter} throws before it locks, and
 * paths that meet agree on the locks, except for registers whose lock another one has, too.
 */
public final class StructuredLocks {
    private final String method;
    private final MethodImplementation body;
    private final TreeMap<Integer, Instruction> code = new TreeMap<>();
    private final TreeMap<Integer, LockLine> lines = new TreeMap<>();
    private final Deque<Integer> changed = new ArrayDeque<>();
    private String fault;

    private StructuredLocks(String method, MethodImplementation body) {
        this.method = method;
        this.body = body;
        int at = 0;
        for (Instruction each : body.getInstructions()) {
            code.put(at, each);
            at += each.getCodeUnits();
        }
    }

    /** Returns the methods with faults, each with its first one. */
    public static List<String> faults(DexFile dex) {
        List<String> faults = new ArrayList<>();
        for (ClassDef each : dex.getClasses()) {
            for (Method method : each.getMethods()) {
                String name = method.getDefiningClass() + method.getName() + method.getParameterTypes();
                String fault = method.getImplementation() == null ? null : fault(name, method.getImplementation());
                if (fault != null) {
                    faults.add(fault);
                }
            }
        }
        return faults;
    }

    /** Returns the first fault of a method, or null. */
    static String fault(String method, MethodImplementation body) {
        return new StructuredLocks(method, body).check();
    }

    /** Returns the number of {@code monitor-enter} instructions. */
    public static int locks(DexFile dex) {
        int locks = 0;
        for (ClassDef each : dex.getClasses()) {
            for (Method method : each.getMethods()) {
                if (method.getImplementation() != null) {
                    for (Instruction instruction : method.getImplementation().getInstructions()) {
                        locks += instruction.getOpcode() == Opcode.MONITOR_ENTER ? 1 : 0;
                    }
                }
            }
        }
        return locks;
    }

    private String check() {
        boolean locks = code.values().stream()
                .anyMatch(each -> each.getOpcode() == Opcode.MONITOR_ENTER || each.getOpcode() == Opcode.MONITOR_EXIT);
        if (!locks) {
            return null;
        }
        flow(0, new LockLine(body.getRegisterCount()));
        while (fault == null && !changed.isEmpty()) {
            step(changed.remove());
        }
        return fault;
    }

    private void step(int at) {
        Instruction instruction = code.get(at);
        Opcode op = instruction.getOpcode();
        LockLine before = lines.get(at);
        LockLine after = before.copy();
        execute(at, instruction, after);
        if (op.canThrow() && op != Opcode.MONITOR_EXIT) {
            boolean all = false;
            for (ExceptionHandler handler : handlers(at)) {
                flow(handler.getHandlerCodeAddress(), before);
                all |= handler.getExceptionType() == null;
            }
            if (!all && after.held() > (op == Opcode.MONITOR_ENTER ? 1 : 0)) {
                fail(at, "can throw with a lock held, without a handler of all exceptions");
            }
        }
        boolean returns = op == Opcode.RETURN
                || op == Opcode.RETURN_VOID
                || op == Opcode.RETURN_OBJECT
                || op == Opcode.RETURN_WIDE;
        if (returns && after.held() > 0) {
            fail(at, "returns with a lock held");
        }
        if (instruction instanceof OffsetInstruction && op != Opcode.FILL_ARRAY_DATA) {
            int target = at + ((OffsetInstruction) instruction).getCodeOffset();
            if (op == Opcode.PACKED_SWITCH || op == Opcode.SPARSE_SWITCH) {
                for (SwitchElement each : ((SwitchPayload) code.get(target)).getSwitchElements()) {
                    flow(at + each.getOffset(), after);
                }
            } else {
                flow(target, after);
            }
        }
        if (op.canContinue()) {
            flow(at + instruction.getCodeUnits(), after);
        }
    }

    private void execute(int at, Instruction instruction, LockLine line) {
        Opcode op = instruction.getOpcode();
        int register = instruction instanceof OneRegisterInstruction
                ? ((OneRegisterInstruction) instruction).getRegisterA()
                : -1;
        if (op == Opcode.MONITOR_ENTER || op == Opcode.MONITOR_EXIT) {
            String wrong = op == Opcode.MONITOR_ENTER ? line.enter(register) : line.exit(register);
            if (wrong != null) {
                fail(at, wrong);
            }
        } else if (op == Opcode.MOVE_OBJECT || op == Opcode.MOVE_OBJECT_FROM16 || op == Opcode.MOVE_OBJECT_16) {
            line.move(register, ((TwoRegisterInstruction) instruction).getRegisterB());
        } else if (op.setsRegister() && op != Opcode.CHECK_CAST) {
            line.write(register);
            if (op.setsWideRegister()) {
                line.write(register + 1);
            }
        }
    }

    private List<ExceptionHandler> handlers(int at) {
        List<ExceptionHandler> handlers = new ArrayList<>();
        for (TryBlock<? extends ExceptionHandler> each : body.getTryBlocks()) {
            if (at >= each.getStartCodeAddress() && at < each.getStartCodeAddress() + each.getCodeUnitCount()) {
                handlers.addAll(each.getExceptionHandlers());
            }
        }
        return handlers;
    }

    private void flow(int to, LockLine line) {
        LockLine there = lines.get(to);
        if (there == null) {
            lines.put(to, line.copy());
            changed.add(to);
            return;
        }
        LockLine before = there.copy();
        String wrong = there.merge(line);
        if (wrong != null) {
            fail(to, wrong);
        } else if (!there.sameAs(before)) {
            changed.add(to);
        }
    }

    private void fail(int at, String what) {
        if (fault == null) {
            fault = method + " at " + at + ": " + what;
        }
    }
}
