package org.navitas.instrument.edits;

import javassist.bytecode.BadBytecode;
import javassist.bytecode.ConstPool;
import javassist.bytecode.StackMapTable;

/** Rewrites a table of stack map frames for code whose instructions have moved. */
final class FrameMoves extends StackMapTable.Walker {
    private final StackMapTable.Writer moved;
    private final int[] offsets;
    private int pc = -1;
    private int last = -1;

    private FrameMoves(StackMapTable table, int[] offsets) {
        super(table);
        this.offsets = offsets;
        moved = new StackMapTable.Writer(table.get().length);
    }

    /**
     * Moves frames.
     *
     * @param offsets the new offset of each instruction
     */
    static StackMapTable of(StackMapTable table, int[] offsets, ConstPool pool) throws BadBytecode {
        FrameMoves moves = new FrameMoves(table, offsets);
        moves.parse();
        return moves.moved.toStackMapTable(pool);
    }

    private int delta(int old) {
        pc += old + 1;
        int delta = offsets[pc] - last - 1;
        last = offsets[pc];
        return delta;
    }

    /** Returns the data of types; that of a new object is the offset of its {@code new}. */
    private int[] data(int[] tags, int[] data) {
        int[] result = data.clone();
        for (int i = 0; i < tags.length; i++) {
            result[i] = tags[i] == StackMapTable.UNINIT ? offsets[data[i]] : data[i];
        }
        return result;
    }

    @Override
    public void sameFrame(int pos, int delta) {
        moved.sameFrame(delta(delta));
    }

    @Override
    public void sameLocals(int pos, int delta, int stackTag, int stackData) {
        moved.sameLocals(delta(delta), stackTag, data(new int[] {stackTag}, new int[] {stackData})[0]);
    }

    @Override
    public void chopFrame(int pos, int delta, int k) {
        moved.chopFrame(delta(delta), k);
    }

    @Override
    public void appendFrame(int pos, int delta, int[] tags, int[] data) {
        moved.appendFrame(delta(delta), tags, data(tags, data));
    }

    @Override
    public void fullFrame(int pos, int delta, int[] localTags, int[] localData, int[] stackTags, int[] stackData) {
        moved.fullFrame(delta(delta), localTags, data(localTags, localData), stackTags, data(stackTags, stackData));
    }
}
