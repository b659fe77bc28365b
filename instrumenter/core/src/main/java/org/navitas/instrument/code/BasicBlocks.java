package org.navitas.instrument.code;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.LineNumberAttribute;
import javassist.bytecode.Opcode;
import org.navitas.instrument.files.InstrumentException;

/**
 * The basic blocks of a method's bytecode, numbered in code order. Immutable.
 *
 * <p>A block starts at the method's start, at the target of a jump or switch, after a jump, switch, return or throw, and
 * at the start of an exception handler. Calls do not end a block: if a call throws, the rest of its block counts as
 * executed, too.
 */
public final class BasicBlocks {
    /** One block. */
    public static final class Block {
        /** Offset of the first instruction. */
        public final int firstPc;
        /** Offset of the last instruction. */
        public final int lastPc;
        /** Numbers of the blocks that can run next without an exception, ascending. */
        public final List<Integer> successors;
        /** Numbers of the blocks of the exception handlers that cover it, ascending. */
        public final List<Integer> handlers;

        private Block(int firstPc, int lastPc, TreeSet<Integer> successors, TreeSet<Integer> handlers) {
            this.firstPc = firstPc;
            this.lastPc = lastPc;
            this.successors = Collections.unmodifiableList(new ArrayList<>(successors));
            this.handlers = Collections.unmodifiableList(new ArrayList<>(handlers));
        }
    }

    private final CodeScan code;
    private final LineNumberAttribute lines;
    private final List<Block> blocks = new ArrayList<>();
    private final int[] blockOf;

    private BasicBlocks(CodeAttribute attribute) throws MalformedClassException {
        code = new CodeScan(attribute.getCode());
        lines = (LineNumberAttribute) attribute.getAttribute(LineNumberAttribute.tag);
        blockOf = new int[code.length() + 1];
        List<Integer> leaders = new ArrayList<>(leaders(attribute.getExceptionTable()));
        for (int i = 0, start = 0; i < code.starts.size(); i++) {
            int pc = code.starts.get(i);
            while (start + 1 < leaders.size() && leaders.get(start + 1) <= pc) {
                start++;
            }
            blockOf[pc] = start;
        }
        for (int i = 0; i < leaders.size(); i++) {
            blocks.add(block(
                    leaders.get(i),
                    i + 1 < leaders.size() ? leaders.get(i + 1) : code.length(),
                    attribute.getExceptionTable()));
        }
    }

    /**
     * Finds the blocks of a method.
     *
     * @param attribute the method's code, of a class file that {@code SelectedClasses} checked
     * @return its blocks
     * @throws InstrumentException if the code is malformed
     */
    public static BasicBlocks of(CodeAttribute attribute) throws InstrumentException {
        try {
            return new BasicBlocks(attribute);
        } catch (MalformedClassException e) {
            throw new InstrumentException(e.getMessage(), e);
        }
    }

    /**
     * Returns the blocks.
     *
     * @return an unmodifiable list in code order
     */
    public List<Block> blocks() {
        return Collections.unmodifiableList(blocks);
    }

    /**
     * Returns the offsets of all instructions.
     *
     * @return an unmodifiable list, ascending
     */
    public List<Integer> instructions() {
        return Collections.unmodifiableList(code.starts);
    }

    /** Returns the offsets of a block's instructions, ascending. */
    public List<Integer> instructions(int block) {
        int from = Collections.binarySearch(code.starts, blocks.get(block).firstPc);
        return code.starts.subList(from, Collections.binarySearch(code.starts, blocks.get(block).lastPc) + 1);
    }

    /** Returns the blocks that can follow each block without an exception. */
    public int[][] successors() {
        return blocks.stream()
                .map(block ->
                        block.successors.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
    }

    /**
     * Returns the number of the block that contains an instruction.
     *
     * @param pc the instruction's offset
     * @return a block number
     */
    public int blockOf(int pc) {
        return blockOf[pc];
    }

    /**
     * Returns the line number of an instruction. {@link InlinedLines} has the line of inlined code.
     *
     * @param pc the instruction's offset
     * @return a line number, or 0 without line numbers
     */
    public int lineOf(int pc) {
        return lines == null ? 0 : Math.max(0, lines.toLineNumber(pc));
    }

    private TreeSet<Integer> leaders(ExceptionTable handlers) throws MalformedClassException {
        TreeSet<Integer> leaders = new TreeSet<>();
        leaders.add(0);
        for (int pc : code.starts) {
            List<Integer> targets = code.targets(pc);
            leaders.addAll(targets);
            int next = code.next(pc);
            if ((ends(pc) || !targets.isEmpty()) && next < code.length()) {
                leaders.add(next);
            }
        }
        for (int i = 0; i < handlers.size(); i++) {
            leaders.add(handlers.handlerPc(i));
        }
        TreeSet<Integer> starts = new TreeSet<>(code.starts);
        if (!starts.containsAll(leaders)) {
            throw new MalformedClassException("a jump or handler leads into an instruction or out of the code");
        }
        return leaders;
    }

    private boolean ends(int pc) {
        int op = code.opcode(pc);
        return CodeScan.isReturn(op)
                || op == Opcode.ATHROW
                || op == Opcode.RET
                || op == Opcode.WIDE && code.u1(pc + 1) == Opcode.RET;
    }

    private Block block(int start, int end, ExceptionTable table) throws MalformedClassException {
        int last = start;
        for (int pc = start; pc < end; pc = code.next(pc)) {
            last = pc;
        }
        TreeSet<Integer> next = new TreeSet<>();
        code.targets(last).forEach(pc -> next.add(blockOf[pc]));
        int op = code.opcode(last);
        boolean jumps =
                op == Opcode.GOTO || op == Opcode.GOTO_W || op == Opcode.TABLESWITCH || op == Opcode.LOOKUPSWITCH;
        if (!jumps && !ends(last) && end < code.length()) {
            next.add(blockOf[end]);
        }
        TreeSet<Integer> handlers = new TreeSet<>();
        for (int i = 0; i < table.size(); i++) {
            if (table.startPc(i) < end && start < table.endPc(i)) {
                handlers.add(blockOf[table.handlerPc(i)]);
            }
        }
        return new Block(start, last, next, handlers);
    }
}
