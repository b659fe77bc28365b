package org.navitas.instrument.probes;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ConstPool;
import javassist.bytecode.Descriptor;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.StackMapTable;
import org.navitas.instrument.code.FrameOffsets;
import org.navitas.instrument.code.MalformedClassException;

/**
 * Copies stack map frames (JVMS 4.7.4) to grown code whose last local variables are an array of long and numbers of type
 * long. All frames become full frames: only these can have a variable after unset ones.
 */
final class GrownFrames extends StackMapTable.Walker {
    private final CodeGrowth growth;
    private final int array;
    private final int longs;
    private final int maxLocals;
    private final StackMapTable.Writer out;
    private int[] tags;
    private int[] data;
    private int last = -1;
    private int lastGrown = -1;
    private boolean misfits;
    /** The types of variables and of the stack at the targets of stubs, by offset in the old code. */
    private final Map<Integer, int[][]> targets = new HashMap<>();

    private GrownFrames(StackMapTable table, MethodInfo method, CodeGrowth growth, int array, int longs)
            throws BadBytecode {
        super(table.get());
        this.growth = growth;
        this.array = array;
        this.longs = longs;
        maxLocals = method.getCodeAttribute().getMaxLocals();
        out = new StackMapTable.Writer(2 * table.get().length + 64);
        setParameters(method);
    }

    /**
     * Returns the new table, which also has frames at the end of the prologue and of stubs. Returns null if a frame has
     * more variables than the method, or a jump leads to no frame, so the class is invalid.
     *
     * @param array the class of the array
     * @param longs how many numbers follow the array
     * @param throwable the class of the exceptions of handlers
     */
    static StackMapTable of(
            StackMapTable table,
            MethodInfo method,
            CodeGrowth growth,
            List<CodeInsertions.Stub> stubs,
            int array,
            int longs,
            int throwable)
            throws BadBytecode {
        GrownFrames frames = new GrownFrames(table, method, growth, array, longs);
        stubs.forEach(stub -> frames.targets.put(stub.target, null));
        FrameOffsets old = FrameOffsets.of(table);
        if (old.count == 0 || old.first > 0) {
            frames.write(growth.place(0), new int[0], new int[0]);
        }
        frames.parse();
        for (int i = 0; i < stubs.size(); i++) {
            int[][] target = stubs.get(i).isHandler()
                    ? new int[][] {{}, {}, {StackMapTable.OBJECT}, {throwable}}
                    : frames.targets.get(stubs.get(i).target);
            if (target == null) {
                return null;
            }
            frames.set(target[0], target[1]);
            frames.write(growth.stub(i), target[2], target[3]);
        }
        return frames.misfits ? null : frames.out.toStackMapTable(method.getConstPool());
    }

    /** Adds the constants of the classes of a method's parameters. */
    static void addConstants(MethodInfo method) throws MalformedClassException {
        forParameters(method, type -> constant(method.getConstPool(), type));
    }

    /** Returns the number of constants that {@link #addConstants} can add. */
    static int constants(MethodInfo method) {
        return 2 * Descriptor.numOfParameters(method.getDescriptor()) + 2;
    }

    private interface Parameter {
        void take(String type);
    }

    /** Calls {@code each} with the descriptors of all parameters. */
    private static void forParameters(MethodInfo method, Parameter each) throws MalformedClassException {
        String descriptor = method.getDescriptor();
        for (int from = 1; descriptor.charAt(from) != ')'; ) {
            int to = from;
            while (descriptor.charAt(to) == '[') {
                to++;
            }
            to = descriptor.charAt(to) == 'L' ? descriptor.indexOf(';', to) + 1 : to + 1;
            if (to <= 0 || to >= descriptor.length()) {
                throw new MalformedClassException("bad descriptor of " + method.getName());
            }
            each.take(descriptor.substring(from, to));
            from = to;
        }
    }

    private static int constant(ConstPool pool, String type) {
        char kind = type.charAt(0);
        if (kind == 'L') {
            return pool.addClassInfo(type.substring(1, type.length() - 1).replace('/', '.'));
        }
        return kind == '[' ? pool.addClassInfo(type) : 0;
    }

    private void setParameters(MethodInfo method) throws BadBytecode {
        ConstPool pool = method.getConstPool();
        boolean isStatic = (method.getAccessFlags() & AccessFlag.STATIC) != 0;
        int count = Descriptor.numOfParameters(method.getDescriptor()) + (isStatic ? 0 : 1);
        tags = new int[count];
        data = new int[count];
        if (!isStatic) {
            tags[0] = method.isConstructor() ? StackMapTable.THIS : StackMapTable.OBJECT;
            data[0] = pool.getThisClassInfo();
        }
        int[] at = {isStatic ? 0 : 1};
        try {
            forParameters(method, type -> {
                tags[at[0]] = tag(type.charAt(0));
                data[at[0]++] = constant(pool, type);
            });
        } catch (MalformedClassException e) {
            throw new BadBytecode(e.getMessage());
        }
    }

    private static int tag(char type) {
        switch (type) {
            case 'J':
                return StackMapTable.LONG;
            case 'D':
                return StackMapTable.DOUBLE;
            case 'F':
                return StackMapTable.FLOAT;
            case 'L':
            case '[':
                return StackMapTable.OBJECT;
            default:
                return StackMapTable.INTEGER;
        }
    }

    @Override
    public void sameFrame(int pos, int delta) {
        copy(delta, new int[0], new int[0]);
    }

    @Override
    public void sameLocals(int pos, int delta, int stackTag, int stackData) {
        copy(delta, new int[] {stackTag}, new int[] {stackData});
    }

    @Override
    public void chopFrame(int pos, int delta, int k) {
        set(Arrays.copyOf(tags, Math.max(0, tags.length - k)), data);
        copy(delta, new int[0], new int[0]);
    }

    @Override
    public void appendFrame(int pos, int delta, int[] moreTags, int[] moreData) {
        int old = tags.length;
        set(Arrays.copyOf(tags, old + moreTags.length), data);
        System.arraycopy(moreTags, 0, tags, old, moreTags.length);
        System.arraycopy(moreData, 0, data, old, moreTags.length);
        copy(delta, new int[0], new int[0]);
    }

    @Override
    public void fullFrame(int pos, int delta, int[] localTags, int[] localData, int[] stackTags, int[] stackData) {
        set(localTags.clone(), localData);
        copy(delta, stackTags.clone(), stackData.clone());
    }

    private void set(int[] newTags, int[] newData) {
        tags = newTags;
        data = Arrays.copyOf(newData, newTags.length);
    }

    private void copy(int delta, int[] stackTags, int[] stackData) {
        int pc = last < 0 ? delta : last + delta + 1;
        last = pc;
        targets.replace(pc, new int[][] {tags, data, stackTags, stackData});
        write(growth.place(pc), stackTags, stackData);
    }

    private void write(int pc, int[] stackTags, int[] stackData) {
        int words = 0;
        for (int tag : tags) {
            words += tag == StackMapTable.LONG || tag == StackMapTable.DOUBLE ? 2 : 1;
        }
        int unset = maxLocals - words;
        if (unset < 0 || misfits) {
            misfits = true;
            return;
        }
        int old = tags.length + unset; // unset ones have tag 0
        int[] allTags = Arrays.copyOf(tags, old + 1 + longs);
        int[] allData = Arrays.copyOf(moved(tags, data), allTags.length);
        allTags[old] = StackMapTable.OBJECT;
        allData[old] = array;
        Arrays.fill(allTags, old + 1, allTags.length, StackMapTable.LONG);
        out.fullFrame(
                lastGrown < 0 ? pc : pc - lastGrown - 1, allTags, allData, stackTags, moved(stackTags, stackData));
        lastGrown = pc;
    }

    /** Moves the offsets of {@code new} instructions whose objects are not initialised yet. */
    private int[] moved(int[] kinds, int[] values) {
        IntUnaryOperator move = i -> kinds[i] == StackMapTable.UNINIT ? growth.instruction(values[i]) : values[i];
        int[] moved = new int[kinds.length];
        Arrays.setAll(moved, move);
        return moved;
    }
}
