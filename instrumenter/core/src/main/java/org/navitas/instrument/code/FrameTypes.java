package org.navitas.instrument.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ConstPool;
import javassist.bytecode.StackMapTable;

/** Reads the stack map frames of a method as states by offset (JVMS 4.7.4). */
final class FrameTypes extends StackMapTable.Walker {
    private final Map<Integer, TypeState> states = new HashMap<>();
    private final ConstPool pool;
    private final String thisClass;
    private final int maxLocals;
    private final List<String> locals = new ArrayList<>();
    private int pc = -1;

    private FrameTypes(StackMapTable table, ConstPool pool, String thisClass, int maxLocals) {
        super(table);
        this.pool = pool;
        this.thisClass = thisClass;
        this.maxLocals = maxLocals;
    }

    /**
     * Reads a table.
     *
     * @param first the state at the method's start
     * @return states by offset
     */
    static Map<Integer, TypeState> of(StackMapTable table, TypeState first, ConstPool pool, String thisClass)
            throws BadBytecode, MalformedClassException {
        FrameTypes frames = new FrameTypes(table, pool, thisClass, first.locals.length);
        int end = first.locals.length;
        while (end > 0 && first.locals[end - 1].equals(VerifierTypes.TOP)) {
            end--;
        }
        for (int i = 0; i < end; i++) {
            if (!first.locals[i].equals(VerifierTypes.SECOND)) {
                frames.locals.add(first.locals[i]);
            }
        }
        try {
            frames.parse();
        } catch (BadFrame e) {
            throw new MalformedClassException(e.getMessage());
        }
        return frames.states;
    }

    private void frame(int delta, int[] stackTags, int[] stackData) {
        pc = pc + delta + 1;
        TypeState state = new TypeState(maxLocals);
        int local = 0;
        for (String type : locals) {
            int end = local + (VerifierTypes.isWide(type) ? 2 : 1);
            if (end > maxLocals) {
                throw new BadFrame("a stack map frame has too many local variables");
            }
            state.set(local, type);
            local = end;
        }
        for (int i = 0; i < stackTags.length; i++) {
            state.push(type(stackTags[i], stackData[i]));
        }
        states.put(pc, state);
    }

    private String type(int tag, int data) {
        try {
            return VerifierTypes.ofFrame(tag, data, pool, thisClass);
        } catch (MalformedClassException e) {
            throw new BadFrame(e.getMessage());
        }
    }

    private void add(int[] tags, int[] data) {
        for (int i = 0; i < tags.length; i++) {
            locals.add(type(tags[i], data[i]));
        }
    }

    @Override
    public void sameFrame(int pos, int delta) {
        frame(delta, new int[0], new int[0]);
    }

    @Override
    public void sameLocals(int pos, int delta, int stackTag, int stackData) {
        frame(delta, new int[] {stackTag}, new int[] {stackData});
    }

    @Override
    public void chopFrame(int pos, int delta, int k) {
        if (k > locals.size()) {
            throw new BadFrame("a stack map frame removes more local variables than there are");
        }
        locals.subList(locals.size() - k, locals.size()).clear();
        frame(delta, new int[0], new int[0]);
    }

    @Override
    public void appendFrame(int pos, int delta, int[] tags, int[] data) {
        add(tags, data);
        frame(delta, new int[0], new int[0]);
    }

    @Override
    public void fullFrame(int pos, int delta, int[] localTags, int[] localData, int[] stackTags, int[] stackData) {
        locals.clear();
        add(localTags, localData);
        frame(delta, stackTags, stackData);
    }

    /** The walker's methods cannot throw checked exceptions of this package. */
    private static final class BadFrame extends RuntimeException {
        private static final long serialVersionUID = 1;

        BadFrame(String message) {
            super(message);
        }
    }
}
