package org.navitas.instrument.code;

import javassist.bytecode.BadBytecode;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.StackMapTable;
import org.navitas.instrument.files.InstrumentException;

/**
 * Whether code branches while an object is not initialized yet, as in {@code new A(b && c)} or {@code super(b && c)}.
 * Early versions of Java 8 refuse jumps back there.
 */
public final class UninitializedFrames extends StackMapTable.Walker {
    private boolean found;

    private UninitializedFrames(byte[] table) {
        super(table);
    }

    public static boolean in(CodeAttribute code) throws InstrumentException {
        StackMapTable table = (StackMapTable) code.getAttribute(StackMapTable.tag);
        if (table == null) {
            return false;
        }
        UninitializedFrames frames = new UninitializedFrames(table.get());
        try {
            frames.parse();
        } catch (BadBytecode | RuntimeException e) { // Javassist throws both for damaged tables
            throw new InstrumentException("bad stack map: " + e.getMessage(), e);
        }
        return frames.found;
    }

    private void see(int... tags) {
        for (int tag : tags) {
            found |= tag == StackMapTable.UNINIT || tag == StackMapTable.THIS;
        }
    }

    @Override
    public void sameLocals(int pos, int delta, int stackTag, int stackData) {
        see(stackTag);
    }

    @Override
    public void appendFrame(int pos, int delta, int[] tags, int[] data) {
        see(tags);
    }

    @Override
    public void fullFrame(int pos, int delta, int[] localTags, int[] localData, int[] stackTags, int[] stackData) {
        see(localTags);
        see(stackTags);
    }
}
