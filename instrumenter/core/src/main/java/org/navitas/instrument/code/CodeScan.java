package org.navitas.instrument.code;

import java.util.ArrayList;
import java.util.List;
import javassist.bytecode.Opcode;

/**
 * The instructions of one method: their checked boundaries, the returns, and how far the code can grow within the
 * limits of the class file format.
 */
public final class CodeScan {
    public static final int MAX_CODE = 65535;
    private static final int MAX_PADDING = 3;
    /** Bytes added when goto becomes goto_w. */
    private static final int WIDENING = 2;
    /** Length of each instruction in bytes, by opcode (JVMS 6.5); 0 for switches and wide, whose length varies. */
    private static final String LENGTHS = "1111111111111111232332222211111111111111"
            + "1111111111111122222111111111111111111111"
            + "1111111111111111111111111111111111111111"
            + "1111111111113111111111111111111113333333"
            + "3333333332001111113333333553231133110433"
            + "55";

    private final byte[] code;
    /** Offsets of all instructions, ascending. */
    public final List<Integer> starts = new ArrayList<>();

    final List<Integer> returns = new ArrayList<>();
    private int switches;

    public CodeScan(byte[] code) throws MalformedClassException {
        this.code = code;
        int pc = 0;
        while (pc < code.length) {
            starts.add(pc);
            int next = next(pc);
            note(pc);
            pc = next;
        }
    }

    /** Whether probes at these entries and before all returns break a limit of the format (JVMS 4.7.3, 4.9.1). */
    public boolean exceedsLimits(List<CallStarts.Place> entries, int probeBytes, int handlerBytes) {
        // In short code, Javassist rounds gaps up to keep switches aligned. Long code grows only by padding and goto_w.
        int gap = code.length <= Short.MAX_VALUE ? (probeBytes + 3) & ~3 : probeBytes;
        long grown = code.length
                + (long) gap * (entries.size() + returns.size())
                + handlerBytes
                + (long) MAX_PADDING * switches;
        if (grown <= Short.MAX_VALUE) {
            return false;
        }
        return entries.size() > 1
                || grown > MAX_CODE
                || branchesExceedLimits(entries, gap, grown); // offsets of later entries could move
    }

    private boolean branchesExceedLimits(List<CallStarts.Place> entries, int gap, long grown) {
        int[] growth = new int[code.length + 1]; // bytes added before each offset
        entries.forEach(entry -> growth[entry.pc + 1] += gap);
        returns.forEach(pc -> growth[pc + 1] += gap);
        for (int pc : starts) {
            growth[pc + 1] += isSwitch(opcode(pc)) ? MAX_PADDING : isShortJump(opcode(pc)) ? WIDENING : 0;
        }
        for (int i = 1; i < growth.length; i++) {
            growth[i] += growth[i - 1];
        }
        long wide = 0;
        for (int pc : starts) {
            if (isConditional(opcode(pc)) || isShortJump(opcode(pc))) {
                int target = pc + (short) u2(pc + 1);
                int from = Math.max(0, Math.min(pc, target));
                int to = Math.min(code.length - 1, Math.max(pc, target));
                if (to - from + growth[to + 1] - growth[from] > Short.MAX_VALUE) {
                    if (isConditional(opcode(pc))) {
                        return true; // it would need another stack map frame
                    }
                    wide++;
                }
            }
        }
        return grown + WIDENING * wide > MAX_CODE;
    }

    public int length() {
        return code.length;
    }

    public int opcode(int pc) {
        return code[pc] & 255;
    }

    public int u1(int pc) {
        return code[pc] & 255;
    }

    public int u2(int pc) {
        return (code[pc] & 255) << 8 | (code[pc + 1] & 255);
    }

    public int s4(int pc) {
        return u2(pc) << 16 | u2(pc + 2);
    }

    /** Returns the offset of the next instruction, which is at most the code's length. */
    public int next(int pc) throws MalformedClassException {
        int op = opcode(pc);
        long length = op < LENGTHS.length() ? LENGTHS.charAt(op) - '0' : -1;
        int operands = (pc & ~3) + 4;
        if (op == Opcode.WIDE) {
            need(pc + 2);
            length = opcode(pc + 1) == Opcode.IINC ? 6 : 4;
        } else if (op == Opcode.TABLESWITCH) {
            need(operands + 12);
            long cases = (long) s4(operands + 8) - s4(operands + 4) + 1;
            length = cases < 0 ? -1 : operands + 12 - pc + 4 * cases;
        } else if (op == Opcode.LOOKUPSWITCH) {
            need(operands + 8);
            long pairs = s4(operands + 4);
            length = pairs < 0 ? -1 : operands + 8 - pc + 8 * pairs;
        }
        if (length <= 0) {
            throw new MalformedClassException("bad instruction " + op + " at " + pc);
        }
        need(pc + length);
        return (int) (pc + length);
    }

    /** Returns the targets of the branch or switch at {@code pc}, without the next instruction. */
    public List<Integer> targets(int pc) {
        int op = opcode(pc);
        List<Integer> targets = new ArrayList<>();
        int operands = (pc & ~3) + 4;
        if (isConditional(op) || isShortJump(op)) {
            targets.add(pc + (short) u2(pc + 1));
        } else if (op == Opcode.GOTO_W || op == Opcode.JSR_W) {
            targets.add(pc + s4(pc + 1));
        } else if (op == Opcode.TABLESWITCH) {
            targets.add(pc + s4(operands));
            int cases = s4(operands + 8) - s4(operands + 4) + 1;
            for (int i = 0; i < cases; i++) {
                targets.add(pc + s4(operands + 12 + 4 * i));
            }
        } else if (op == Opcode.LOOKUPSWITCH) {
            targets.add(pc + s4(operands));
            for (int i = 0; i < s4(operands + 4); i++) {
                targets.add(pc + s4(operands + 12 + 8 * i));
            }
        }
        return targets;
    }

    /** Whether an instruction calls or leaves a subroutine. */
    public boolean isSubroutine(int pc) {
        int op = opcode(pc);
        return op == Opcode.JSR
                || op == Opcode.JSR_W
                || op == Opcode.RET
                || op == Opcode.WIDE && opcode(pc + 1) == Opcode.RET;
    }

    public static boolean isReturn(int op) {
        return op >= Opcode.IRETURN && op <= Opcode.RETURN;
    }

    public static boolean isConditional(int op) {
        return op >= Opcode.IFEQ && op <= Opcode.IF_ACMPNE || op == Opcode.IFNULL || op == Opcode.IFNONNULL;
    }

    public static boolean isShortJump(int op) {
        return op == Opcode.GOTO || op == Opcode.JSR;
    }

    public static boolean isSwitch(int op) {
        return op == Opcode.TABLESWITCH || op == Opcode.LOOKUPSWITCH;
    }

    private void note(int pc) {
        int op = opcode(pc);
        if (isReturn(op)) {
            returns.add(pc);
        } else if (isSwitch(op)) {
            switches++;
        }
    }

    private void need(long end) throws MalformedClassException {
        if (end > code.length) {
            throw new MalformedClassException("code ends within an instruction");
        }
    }
}
