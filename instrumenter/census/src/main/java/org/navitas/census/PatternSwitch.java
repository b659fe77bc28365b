package org.navitas.census;

import java.util.Collections;
import java.util.List;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.Opcode;
import org.navitas.instrument.code.BasicBlocks;

/**
 * Finds where a switch begins. If a guard or a nested pattern does not match, a switch on patterns runs its instruction
 * again, from the next case on: the code jumps back with the number of that case. So the switch begins in the block
 * before, which gives the number of the first case.
 */
final class PatternSwitch {
    private static final String LINKER = "java.lang.runtime.SwitchBootstraps";

    private PatternSwitch() {}

    /**
     * Returns the block that each execution of a switch runs once; of another instruction, its own.
     *
     * @param index a place in {@link BasicBlocks#instructions}
     */
    static int block(ClassFile file, CodeIterator code, BasicBlocks blocks, int index) {
        List<Integer> instructions = blocks.instructions();
        int block = blocks.blockOf(instructions.get(index));
        int op = code.byteAt(instructions.get(index));
        int link = index > 0 ? instructions.get(index - 1) : 0;
        boolean isSwitch = op == Opcode.TABLESWITCH || op == Opcode.LOOKUPSWITCH;
        if (!isSwitch
                || code.byteAt(link) != Opcode.INVOKEDYNAMIC
                || !InstructionTable.linker(file, code.u16bitAt(link + 1)).equals(LINKER)) {
            return block;
        }
        for (int i = index - 2; i >= 0 && blocks.blockOf(instructions.get(i)) == block; i--) {
            if (!isLoad(code.byteAt(instructions.get(i)))) {
                return block; // it gives the number of the first case itself
            }
        }
        boolean follows =
                block > 0 && blocks.blocks().get(block - 1).successors.equals(Collections.singletonList(block));
        return follows ? block - 1 : block;
    }

    private static boolean isLoad(int op) {
        return op >= Opcode.ILOAD && op <= Opcode.ALOAD_3 || op == Opcode.WIDE;
    }
}
