package org.navitas.instrument.code;

import javassist.bytecode.BadBytecode;
import javassist.bytecode.StackMapTable;

/** Number of a method's stack map frames, and the code offsets of the first and the last one (JVMS 4.7.4). */
public final class FrameOffsets extends StackMapTable.Walker {
    public int count;
    public int first;
    public int last;

    private FrameOffsets(byte[] table) {
        super(table);
    }

    /** Reads a table; null means that the method has none. */
    public static FrameOffsets of(StackMapTable table) throws BadBytecode {
        FrameOffsets offsets = new FrameOffsets(table == null ? new byte[2] : table.get());
        offsets.parse();
        return offsets;
    }

    private void frame(int delta) {
        last = count == 0 ? delta : last + delta + 1;
        first = count == 0 ? delta : first;
        count++;
    }

    @Override
    public void sameFrame(int pos, int delta) {
        frame(delta);
    }

    @Override
    public void sameLocals(int pos, int delta, int stackTag, int stackData) {
        frame(delta);
    }

    @Override
    public void chopFrame(int pos, int delta, int k) {
        frame(delta);
    }

    @Override
    public void appendFrame(int pos, int delta, int[] tags, int[] data) {
        frame(delta);
    }

    @Override
    public void fullFrame(int pos, int delta, int[] localTags, int[] localData, int[] stackTags, int[] stackData) {
        frame(delta);
    }
}
