package org.navitas.instrument.probes;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.StackMapTable;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.FrameOffsets;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.InstrumentException;

/**
 * Adds counters of executions to the blocks of methods, where {@link CounterPlacement} puts them. A method gets the
 * calling thread's array of its counters when it is entered, in a local variable after all others. Each counted block
 * adds 1 to its element at its start, before anything that can throw, or to a variable of {@link LocalCounters}.
 */
public final class BlockCounters implements CodeProbes {
    /** The most counters of a method, for which the runtime has a spare array. */
    static final int MOST_COUNTERS = 8192;

    private static final String PROBE = "org.navitas.runtime.BlockProbe";
    private static final int MAX_U2 = 65535;
    /** The most entries of all full frames. Compilers need fewer. */
    private static final int MOST_ENTRIES = 1 << 22;

    private final ConstPool pool;
    private final int found;
    private final int find;
    private final int array;
    private final int throwable;
    private final int major;
    private final Map<String, CounterPlacement> placements;

    /**
     * Adds all constants that counters of these methods need, except the ids.
     *
     * @param placements the counters of methods whose blocks were edited, by name and descriptor
     */
    public BlockCounters(ClassFile file, Collection<MethodInfo> methods, Map<String, CounterPlacement> placements)
            throws MalformedClassException {
        this.placements = placements;
        pool = file.getConstPool();
        int probe = pool.addClassInfo(PROBE);
        found = pool.addMethodrefInfo(probe, "found", "(I)[J");
        find = pool.addMethodrefInfo(probe, "find", "(II)[J");
        array = pool.addClassInfo("[J");
        throwable = pool.addClassInfo("java.lang.Throwable");
        major = file.getMajorVersion();
        pool.addUtf8Info(StackMapTable.tag);
        for (MethodInfo method : methods) {
            GrownFrames.addConstants(method);
        }
    }

    /** Returns the most constants that the constructor can add for these methods, beyond those of any probes. */
    public static int constants(Collection<MethodInfo> methods) {
        return methods.stream().mapToInt(GrownFrames::constants).sum();
    }

    @Override
    public String add(MethodInfo method, CodeScan scan, int id) throws MalformedClassException, BadBytecode {
        CodeAttribute code = method.getCodeAttribute();
        try {
            BasicBlocks blocks = BasicBlocks.of(code);
            CounterPlacement edited =
                    placements.get(key(method)); // of the code before its edits, which keep the blocks' numbers
            CounterPlacement placement = edited == null ? CounterPlacement.of(method, blocks) : edited;
            LocalCounters locals = LocalCounters.of(method, scan, blocks, placement);
            String reason = add(method, scan, blocks, placement, locals, id);
            return Skipped.TOO_LARGE.equals(reason)
                    ? add(method, scan, blocks, placement, LocalCounters.NONE, id)
                    : reason;
        } catch (InstrumentException e) {
            return Skipped.MALFORMED;
        }
    }

    /** Returns the counters of all methods of a class file, by name and descriptor. */
    public static Map<String, CounterPlacement> placements(byte[] original) throws InstrumentException {
        Map<String, CounterPlacement> found = new HashMap<>();
        try {
            for (MethodInfo method : new ClassFile(new DataInputStream(new ByteSource(original))).getMethods()) {
                if (method.getCodeAttribute() != null) {
                    found.put(key(method), CounterPlacement.of(method, BasicBlocks.of(method.getCodeAttribute())));
                }
            }
            return found;
        } catch (IOException e) {
            throw new InstrumentException(String.valueOf(e.getMessage()), e);
        }
    }

    private static String key(MethodInfo method) {
        return method.getName() + method.getDescriptor();
    }

    private String add(
            MethodInfo method,
            CodeScan scan,
            BasicBlocks blocks,
            CounterPlacement placement,
            LocalCounters locals,
            int id)
            throws MalformedClassException, BadBytecode {
        CodeAttribute code = method.getCodeAttribute();
        int maxLocals = code.getMaxLocals() + 1 + 2 * locals.counters.size();
        int maxStack = Math.max(code.getMaxStack(), 1) + CounterCode.STACK;
        if (maxLocals > MAX_U2 || maxStack > MAX_U2 || placement.counters() > MOST_COUNTERS) {
            return Skipped.TOO_LARGE;
        }
        CounterCode counting = new CounterCode(code.getMaxLocals(), locals.counters);
        CodeInsertions insertions = new CodeInsertions(counting.prologue(id, found, find, placement.counters()));
        new CounterPlaces(scan, blocks, counting, insertions).insert(placement.counted(), locals);
        CodeGrowth growth = CodeGrowth.of(code, scan, insertions);
        if (growth == null || !locals.counters.isEmpty() && growth.length() > CounterPlacement.MOST_CODE) {
            return Skipped.TOO_LARGE;
        }
        StackMapTable frames = framesOf(code, blocks);
        long entries = frames == null
                ? 0
                : (long) (FrameOffsets.of(frames).count + insertions.stubs().size()) * maxLocals;
        if (entries > MOST_ENTRIES) {
            return Skipped.TOO_LARGE;
        }
        StackMapTable grown = frames == null
                ? null
                : GrownFrames.of(frames, method, growth, insertions.stubs(), array, locals.counters.size(), throwable);
        if (frames != null && grown == null) {
            return Skipped.MALFORMED;
        }
        CodeAttribute made = growth.apply(code, maxStack, maxLocals);
        if (grown != null) {
            made.getAttributes().add(grown);
        }
        method.setCodeAttribute(made);
        return null;
    }

    /**
     * Returns null if the class needs no stack maps. Classes of Java 6 need them to be verified without classes that are
     * missing, but jumps without them are allowed.
     */
    private StackMapTable framesOf(CodeAttribute code, BasicBlocks blocks) {
        StackMapTable frames = (StackMapTable) code.getAttribute(StackMapTable.tag);
        boolean needsFrames = major > ClassFile.JAVA_6
                || major == ClassFile.JAVA_6 && blocks.blocks().size() == 1;
        return frames != null || !needsFrames ? frames : new StackMapTable.Writer(2).toStackMapTable(pool);
    }
}
