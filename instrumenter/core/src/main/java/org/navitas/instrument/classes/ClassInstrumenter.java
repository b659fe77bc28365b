package org.navitas.instrument.classes;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.ConstPool;
import javassist.bytecode.LineNumberAttribute;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.code.CodeScan;
import org.navitas.instrument.code.InlinedLines;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.code.SuspendFunction;
import org.navitas.instrument.edits.BlockEdits;
import org.navitas.instrument.files.ByteSink;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.hooks.CallSites;
import org.navitas.instrument.hooks.Callbacks;
import org.navitas.instrument.hooks.HookTable;
import org.navitas.instrument.map.MethodRef;
import org.navitas.instrument.probes.BlockCounters;
import org.navitas.instrument.probes.CodeProbes;
import org.navitas.instrument.probes.CounterPlacement;
import org.navitas.instrument.probes.MethodProbes;

/**
 * Instruments one class file in memory and lists its instrumented methods. Each instrumented method refers to its id by
 * one Integer constant. The ids are filled in later, when those of all classes are known, without parsing the class
 * again.
 *
 * <p>A malformed class file causes no exception: the class is skipped.
 */
public final class ClassInstrumenter {
    private static final byte[] MARKER_VERSION = {1};
    private static final int POOL_LIMIT = 65535;
    /** Number of constants for the probes and the marker, without the ids. */
    private static final int PROBE_CONSTANTS = 26;

    private static final int FIRST_PLACEHOLDER = 0x4E561000;
    /** The method of JaCoCo that every instrumented method calls first, as does the static initialiser that it adds to interfaces. */
    private static final String JACOCO_INIT = "$jacocoInit";

    public final ClassInfo info;
    private final byte[] bytes;
    private final int[] idOffsets;

    private ClassInstrumenter(ClassInfo info, byte[] bytes, int[] idOffsets) {
        this.info = info;
        this.bytes = bytes;
        this.idOffsets = idOffsets;
    }

    /**
     * Instruments one class.
     *
     * @param original a class file; not changed
     * @param fallback name to use if the class file cannot be parsed
     * @param choice selects the methods to instrument
     * @return the instrumented or skipped class
     */
    public static ClassInstrumenter instrument(byte[] original, String fallback, MethodChoice choice) {
        return instrument(original, fallback, choice, null);
    }

    /** {@link #instrument(byte[], String, MethodChoice, HookTable, Probes)} with the probes of methods. */
    public static ClassInstrumenter instrument(byte[] original, String fallback, MethodChoice choice, HookTable hooks) {
        return instrument(original, fallback, choice, hooks, Probes.METHODS);
    }

    /**
     * Instruments one class, replaces its calls of the platform, and inserts calls of hooks in its callbacks.
     *
     * @param original a class file; not changed
     * @param fallback name to use if the class file cannot be parsed
     * @param choice selects the methods to instrument
     * @param hooks the calls to replace, or null for none
     * @param kind the kind of probes
     * @return the instrumented or skipped class
     */
    public static ClassInstrumenter instrument(
            byte[] original, String fallback, MethodChoice choice, HookTable hooks, Probes kind) {
        return instrument(original, fallback, choice, hooks, kind, Collections.<String, CounterPlacement>emptyMap());
    }

    private static ClassInstrumenter instrument(
            byte[] original,
            String fallback,
            MethodChoice choice,
            HookTable hooks,
            Probes kind,
            Map<String, CounterPlacement> placements) {
        String name = fallback;
        try {
            int major = ClassScan.majorOf(original);
            if (major > ClassScan.NEWEST_MAJOR) {
                return untouched(name, Skipped.UNSUPPORTED_VERSION, "class file version " + major, original);
            }
            ClassScan scan = ClassScan.of(original);
            name = scan.name;
            if (scan.instrumented) {
                return untouched(name, Skipped.ALREADY_INSTRUMENTED, "already instrumented", original);
            }
            return probe(original, scan, choice, hooks, kind, placements);
        } catch (MalformedClassException | IOException | BadBytecode e) {
            return untouched(name, Skipped.MALFORMED, String.valueOf(e.getMessage()), original);
        } catch (RuntimeException e) {
            // Javassist throws various unchecked exceptions for malformed classes.
            return untouched(name, Skipped.MALFORMED, e.toString(), original);
        }
    }

    /**
     * Edits the blocks of one class, then instruments it. Counters of blocks are those of the class before its edits.
     *
     * @param original a class file; not changed
     * @param name the class's name
     * @param choice selects the methods to instrument
     * @param hooks the calls to replace, or null for none
     * @param kind the kind of probes
     * @param edits blocks to remove or repeat
     * @return the instrumented or skipped class
     * @throws InstrumentException that names the edits file and the line, if an edit cannot be made
     */
    public static ClassInstrumenter instrument(
            byte[] original, String name, MethodChoice choice, HookTable hooks, Probes kind, BlockEdits edits)
            throws InstrumentException {
        if (!edits.names(name)) {
            return instrument(original, name, choice, hooks, kind);
        }
        byte[] edited = edits.apply(name, original);
        Map<String, CounterPlacement> placements = new LinkedHashMap<>();
        if (kind == Probes.BLOCKS) {
            placements.putAll(BlockCounters.placements(original));
        }
        ClassInstrumenter done = instrument(edited, name, choice, hooks, kind, placements);
        return new ClassInstrumenter(done.info.edited(edits.id(name)), done.bytes, done.idOffsets);
    }

    /** Replaces the calls of the platform in one class, which gets no probes; a class that cannot be parsed stays as it is. */
    public static ClassInstrumenter hook(byte[] original, String name, HookTable hooks) {
        ClassInstrumenter done = instrument(original, name, (className, method, code) -> Skipped.EXCLUDED, hooks);
        ClassInfo info = new ClassInfo(
                done.info.name,
                done.info.file,
                Collections.emptyList(),
                Collections.emptyList(),
                null,
                done.info.hooked);
        return new ClassInstrumenter(info, done.bytes, new int[0]);
    }

    /** Returns the instrumented class with the ids of {@link ClassInfo#methods}, or the original if it has no probes. */
    public byte[] bytes(int[] ids) {
        byte[] filled = bytes.clone();
        for (int i = 0; i < idOffsets.length; i++) {
            int at = idOffsets[i];
            filled[at] = (byte) (ids[i] >>> 24);
            filled[at + 1] = (byte) (ids[i] >>> 16);
            filled[at + 2] = (byte) (ids[i] >>> 8);
            filled[at + 3] = (byte) ids[i];
        }
        return filled;
    }

    private static ClassInstrumenter untouched(String name, String reason, String problem, byte[] original) {
        return new ClassInstrumenter(ClassInfo.untouched(name, reason, problem), original, new int[0]);
    }

    private static ClassInstrumenter probe(
            byte[] original,
            ClassScan scan,
            MethodChoice choice,
            HookTable hooks,
            Probes kind,
            Map<String, CounterPlacement> placements)
            throws IOException, BadBytecode, MalformedClassException {
        ClassFile file = new ClassFile(new DataInputStream(new ByteSource(original)));
        if (kind == Probes.NONE) {
            return new ClassInstrumenter(ClassInfo.unprobed(scan.name, file.getSourceFile()), original, new int[0]);
        }
        int hooked = hooks != null && scan.namesClass(hooks::mayHook) ? CallSites.replace(file, hooks) : 0;
        hooked += hooks != null ? Callbacks.insert(file, hooks) : 0;
        List<MethodInfo> own = new ArrayList<>(file.getMethods());
        hooked += hooks != null ? Callbacks.add(file, hooks) : 0; // what is added gets no probes
        List<Skipped> skipped = new ArrayList<>();
        boolean state = SuspendFunction.isState(file);
        Map<MethodInfo, CodeScan> bodies = new LinkedHashMap<>();
        for (MethodInfo method : own) {
            String reason = reasonToSkip(method, state, kind);
            CodeScan code =
                    reason == null ? new CodeScan(method.getCodeAttribute().getCode()) : null;
            if (code != null && kind == Probes.BLOCKS && isThreadId(file, method)) {
                reason = Skipped.EXCLUDED;
            } else if (code != null) {
                reason = choice.reasonToSkip(scan.name, method, code);
            }
            if (reason == null) {
                bodies.put(method, code);
            } else {
                skipped.add(skipped(method, reason));
            }
        }
        int constants = kind == Probes.BLOCKS ? BlockCounters.constants(bodies.keySet()) : 0;
        boolean room = file.getConstPool().getSize() + PROBE_CONSTANTS + constants + bodies.size() <= POOL_LIMIT;
        List<MethodRef> methods = new ArrayList<>();
        int firstId = 0;
        if (room && !bodies.isEmpty()) {
            CodeProbes probes = kind == Probes.BLOCKS
                    ? new BlockCounters(file, bodies.keySet(), placements)
                    : new MethodProbes(file, scan.integers().contains(Integer.MIN_VALUE));
            firstId = addProbes(file, bodies, scan, probes, methods, skipped);
        }
        if (!room) {
            bodies.keySet().forEach(method -> skipped.add(skipped(method, Skipped.TOO_LARGE)));
        }
        ClassInfo info = new ClassInfo(scan.name, file.getSourceFile(), methods, skipped, null, hooked > 0);
        if (!info.changed()) {
            return new ClassInstrumenter(info, original, new int[0]);
        }
        file.addAttribute(new AttributeInfo(file.getConstPool(), ClassScan.MARKER, MARKER_VERSION));
        ByteSink out = new ByteSink(original.length * 5 / 4 + 512);
        file.write(new DataOutputStream(out));
        byte[] written = out.toByteArray();
        return new ClassInstrumenter(info, written, idOffsets(written, firstId, methods.size()));
    }

    /** Whether counters would call themselves in this method: they find a thread by its id. */
    private static boolean isThreadId(ClassFile file, MethodInfo method) {
        return method.getName().equals("getId")
                && method.getDescriptor().equals("()J")
                && String.valueOf(file.getSuperclass()).endsWith("Thread");
    }

    private static String reasonToSkip(MethodInfo method, boolean isState, Probes kind) throws MalformedClassException {
        int flags = method.getAccessFlags();
        if ((flags & AccessFlag.ABSTRACT) != 0) {
            return Skipped.ABSTRACT;
        } else if ((flags & AccessFlag.NATIVE) != 0) {
            return Skipped.NATIVE;
        } else if ((flags & AccessFlag.BRIDGE) != 0 && kind == Probes.METHODS) {
            return Skipped.BRIDGE;
        } else if ((flags & AccessFlag.SYNTHETIC) != 0
                && (method.getName().equals(JACOCO_INIT) || method.isStaticInitializer())) {
            return Skipped.COVERAGE;
        } else if (isState
                && kind == Probes.METHODS
                && SuspendFunction.isInvokeSuspend(method.getName(), method.getDescriptor())) {
            return Skipped.CONTINUATION;
        } else if (method.getCodeAttribute() == null) {
            throw new MalformedClassException("method " + method.getName() + " has no code");
        }
        return null;
    }

    /** Adds probes to all of {@code bodies} that can hold them. Returns the constant pool index of the first id. */
    private static int addProbes(
            ClassFile file,
            Map<MethodInfo, CodeScan> bodies,
            ClassScan scan,
            CodeProbes probes,
            List<MethodRef> methods,
            List<Skipped> skipped)
            throws BadBytecode, MalformedClassException {
        ConstPool pool = file.getConstPool();
        InlinedLines lines = InlinedLines.of(file);
        Set<Integer> integers = scan.integers();
        pool.addUtf8Info(ClassScan.MARKER);
        int placeholder = freePlaceholder(integers, bodies.size());
        // From here on, only ids are added to the constant pool, so they are adjacent.
        int firstId = pool.addIntegerInfo(placeholder);
        int id = firstId;
        for (Map.Entry<MethodInfo, CodeScan> body : bodies.entrySet()) {
            MethodInfo method = body.getKey();
            MethodRef ref = new MethodRef(
                    method.getName(), method.getDescriptor(), firstLine(method.getCodeAttribute(), lines));
            id = id < 0 ? pool.addIntegerInfo(placeholder + methods.size()) : id;
            String reason = probes.add(method, body.getValue(), id);
            if (reason == null) {
                methods.add(ref);
                id = -1;
            } else {
                skipped.add(skipped(method, reason));
            }
        }
        return firstId;
    }

    private static Skipped skipped(MethodInfo method, String reason) {
        return new Skipped(method.getName() + method.getDescriptor(), reason);
    }

    /**
     * Returns the first of {@code count} consecutive ints that the class does not use. (Equal constants would be shared.)
     */
    private static int freePlaceholder(Set<Integer> used, int count) {
        int first = FIRST_PLACEHOLDER;
        for (int i = 0; i < count; i++) {
            if (used.contains(first + i)) {
                first += i + 1;
                i = -1;
            }
        }
        return first;
    }

    /** Returns the first known line of a method, or 0. */
    private static int firstLine(CodeAttribute code, InlinedLines lines) {
        LineNumberAttribute numbers = (LineNumberAttribute) code.getAttribute(LineNumberAttribute.tag);
        int line = 0;
        for (int i = 0; numbers != null && line == 0 && i < numbers.tableLength(); i++) {
            line = lines.ownLine(numbers.lineNumber(i));
        }
        return line;
    }

    private static int[] idOffsets(byte[] written, int firstId, int count) throws MalformedClassException {
        ClassScan scan = ClassScan.poolOf(written);
        int[] offsets = new int[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = scan.poolOffset(firstId + i);
        }
        return offsets;
    }
}
