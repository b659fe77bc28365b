package org.navitas.instrument.edits;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.LocalUse;
import org.navitas.instrument.code.Loops;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.code.TypeFlow;
import org.navitas.instrument.code.TypeState;
import org.navitas.instrument.code.VerifierTypes;

/**
 * The instructions of each basic block that can be removed, or run several times in sequence, so that the verifier still
 * accepts the class (Li and Gallagher, section 3.3: cases without some blocks). Immutable.
 *
 * <p>A range starts at its block's start, and the operand stack is empty before and after it. It is the longest one that
 * fulfils these rules, so it can end before the block's end:
 *
 * <ul>
 *   <li>It has no jump, return, throw, or use of a monitor. It has no code of a constructor before {@code super(…)} returns.
 *   <li>No exception handler's range starts or ends within it, and no stack map frame is within it.
 *   <li>A local variable that it stores has the same type before and after it, or what follows does not use it.
 *   <li>It stores no local variable that a condition of the same loop loads. Without such a store, many loops never end.
 * </ul>
 *
 * <p>All ranges of a method can be removed or repeated together.
 */
public final class EditableBlocks {
    /** Instructions of one block. */
    public static final class Range {
        /** Offset of the first instruction, which is that of the block. */
        public final int firstPc;
        /** Offset of the last instruction. */
        public final int lastPc;
        /** Offset after the last instruction. */
        final int end;

        private Range(int firstPc, int lastPc, int end) {
            this.firstPc = firstPc;
            this.lastPc = lastPc;
            this.end = end;
        }

        /**
         * Returns whether an instruction is in this range.
         *
         * @param pc the instruction's offset
         * @return whether an edit of the block changes it
         */
        public boolean contains(int pc) {
            return firstPc <= pc && pc <= lastPc;
        }
    }

    private final CodeScan scan;
    private final ExceptionTable handlers;
    private final TypeFlow types;
    private final BitSet edges = new BitSet();
    private final List<Range> ranges = new ArrayList<>();

    private EditableBlocks(ClassFile file, MethodInfo method, BasicBlocks blocks)
            throws MalformedClassException, BadBytecode {
        CodeAttribute code = method.getCodeAttribute();
        scan = new CodeScan(code.getCode());
        handlers = code.getExceptionTable();
        types = TypeFlow.of(file, method, scan, blocks);
        types.frames.keySet().forEach(edges::set);
        for (int i = 0; i < handlers.size(); i++) {
            edges.set(handlers.startPc(i));
            edges.set(handlers.endPc(i));
        }
        Loops loops = Loops.of(blocks, scan);
        for (int i = 0; i < blocks.blocks().size(); i++) {
            ranges.add(range(blocks.blocks().get(i), loops.conditions(i)));
        }
    }

    private EditableBlocks(BasicBlocks blocks) {
        scan = null;
        handlers = null;
        types = null;
        ranges.addAll(Collections.nCopies(blocks.blocks().size(), null));
    }

    /**
     * Finds the ranges of a method.
     *
     * @param file the method's class
     * @param method a method with code
     * @param blocks its blocks
     * @return the ranges; none if the code would not pass the verifier, or has subroutines
     */
    public static EditableBlocks of(ClassFile file, MethodInfo method, BasicBlocks blocks) {
        try {
            return new EditableBlocks(file, method, blocks);
        } catch (MalformedClassException | BadBytecode | RuntimeException e) {
            // Javassist throws various unchecked exceptions for malformed code.
            return new EditableBlocks(blocks);
        }
    }

    /**
     * Returns the range of a block.
     *
     * @param block the block's number
     * @return its range, or null if the block cannot be edited
     */
    public Range range(int block) {
        return ranges.get(block);
    }

    private Range range(BasicBlocks.Block block, BitSet conditions) throws MalformedClassException {
        TypeState before = types.before(block.firstPc);
        if (before == null || !before.stack.isEmpty() || hasUninitialised(before)) {
            return null;
        }
        Range longest = null;
        boolean works = false;
        BitSet written = new BitSet();
        TypeState after = before.copy();
        for (int pc = block.firstPc; pc <= block.lastPc && mayChange(pc, conditions); pc = scan.next(pc)) {
            int end = scan.next(pc);
            works |= scan.opcode(pc) != Opcode.NOP;
            LocalUse use = LocalUse.at(scan, pc);
            if (use != null && use.writes()) {
                written.set(use.local, use.local + (use.isWide() ? 2 : 1));
            }
            types.execute(pc, after);
            boolean complete = works && end < scan.length() && after.stack.isEmpty() && !hasUninitialised(after);
            if (complete && isFree(new Range(block.firstPc, pc, end), changed(before, after, written), before, after)) {
                longest = new Range(block.firstPc, pc, end);
            }
            if (edges.get(end)) {
                break;
            }
        }
        return longest;
    }

    private boolean mayChange(int pc, BitSet conditions) {
        int op = scan.opcode(pc);
        LocalUse use = LocalUse.at(scan, pc);
        boolean decides = use != null
                && use.writes()
                && (conditions.get(use.local) || use.isWide() && conditions.get(use.local + 1));
        return !decides
                && scan.targets(pc).isEmpty()
                && !TypeFlow.leaves(scan, pc)
                && op != Opcode.MONITORENTER
                && op != Opcode.MONITOREXIT;
    }

    private static boolean hasUninitialised(TypeState state) {
        for (String type : state.locals) {
            if (VerifierTypes.isUninitialised(type)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the variables whose type differs, or may differ. */
    private static BitSet changed(TypeState before, TypeState after, BitSet written) {
        BitSet changed = new BitSet();
        for (int i = 0; i < before.locals.length; i++) {
            boolean unknown = written.get(i) && before.locals[i].equals(VerifierTypes.SOME_OBJECT);
            changed.set(i, unknown || !before.locals[i].equals(after.locals[i]));
        }
        return changed;
    }

    /** Returns whether the verifier accepts the code without the range, and with copies of it. */
    private boolean isFree(Range range, BitSet changed, TypeState before, TypeState after)
            throws MalformedClassException {
        return changed.isEmpty()
                || types.framed && isUnused(range.end, changed, before, after) && repeats(range, changed, after);
    }

    /**
     * Returns whether what follows a range works with the changed variables as they were before it. The search ends at stack
     * map frames. Only the rest of the same block can overwrite a variable: the stores of later blocks can be removed, too.
     */
    private boolean isUnused(int end, BitSet changed, TypeState before, TypeState after)
            throws MalformedClassException {
        BitSet open = (BitSet) changed.clone();
        boolean sameBlock = true;
        for (int pc = end; pc < scan.length(); pc = scan.next(pc)) {
            TypeState frame = types.frames.get(pc);
            if (frame != null) {
                return fits(before, open, frame);
            }
            if (!handlersFit(pc, before, open)) {
                return false;
            }
            LocalUse use = LocalUse.at(scan, pc);
            if (use != null && use.reads() && isOpen(open, use)) {
                boolean isNull = before.locals[use.local].equals(VerifierTypes.NULL)
                        && VerifierTypes.isReference(after.locals[use.local]);
                if (!isNull) {
                    return false;
                }
            } else if (use != null && use.kind == LocalUse.Kind.STORE && sameBlock) {
                open.clear(use.local, use.local + (use.isWide() ? 2 : 1));
            }
            for (int target : scan.targets(pc)) {
                if (!fits(before, open, types.frames.get(target))) {
                    return false;
                }
            }
            if (TypeFlow.leaves(scan, pc)) {
                return true;
            }
            sameBlock &= scan.targets(pc).isEmpty();
        }
        return true;
    }

    /** Returns whether a copy of a range works with the changed variables as they are after it. */
    private boolean repeats(Range range, BitSet changed, TypeState after) throws MalformedClassException {
        BitSet open = (BitSet) changed.clone();
        for (int pc = range.firstPc; pc < range.end; pc = scan.next(pc)) {
            LocalUse use = LocalUse.at(scan, pc);
            if (!handlersFit(pc, after, changed) || use != null && use.reads() && isOpen(open, use)) {
                return false;
            }
            if (use != null && use.writes()) {
                open.clear(use.local, use.local + (use.isWide() ? 2 : 1));
            }
        }
        return true;
    }

    private static boolean isOpen(BitSet open, LocalUse use) {
        return open.get(use.local) || use.isWide() && open.get(use.local + 1);
    }

    private boolean handlersFit(int pc, TypeState state, BitSet locals) {
        for (int i = 0; i < handlers.size(); i++) {
            if (handlers.startPc(i) <= pc
                    && pc < handlers.endPc(i)
                    && !fits(state, locals, types.frames.get(handlers.handlerPc(i)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean fits(TypeState state, BitSet locals, TypeState frame) {
        return locals.stream().allMatch(local -> VerifierTypes.fits(state.locals[local], frame.locals[local]));
    }
}
