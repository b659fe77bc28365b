package org.navitas.census;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javassist.bytecode.ClassFile;
import javassist.bytecode.LineNumberAttribute;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.SelectedClasses;
import org.navitas.instrument.choice.SelectedClasses.SelectedClass;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.InlinedLines;
import org.navitas.instrument.edits.EditableBlocks;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.probes.CounterPlacement;

/** Counts the operations of each basic block of classes, from their Java sources where possible. Thread-safe. */
public final class Census {
    private Census() {}

    /**
     * Counts operations.
     *
     * @param classes folders and jars, in class path order
     * @param sources folders with sources; can be empty
     * @param classPath folders and jars of libraries that the sources need; can be empty
     * @param options selects classes by its patterns
     * @return the census as JSON text
     * @throws InstrumentException if a path cannot be read, no class is selected, or the sources need a JDK
     */
    public static String json(List<Path> classes, List<Path> sources, List<Path> classPath, Options options)
            throws InstrumentException {
        SelectedClasses read = SelectedClasses.read(classes, options);
        List<String> notes = new ArrayList<>(read.skipped());
        if (read.classes().isEmpty()) {
            throw new InstrumentException("no class to count" + (notes.isEmpty() ? "" : ": " + notes.get(0)));
        }
        return CensusJson.of(count(read, sources, path(classes, classPath), notes), notes);
    }

    private static List<Path> path(List<Path> classes, List<Path> classPath) {
        List<Path> path = new ArrayList<>(classes);
        path.addAll(classPath);
        return path;
    }

    /** Counts the operations of classes, and adds notes of what could not be used. */
    static List<ClassCensus> count(SelectedClasses read, List<Path> sources, List<Path> classPath, List<String> notes)
            throws InstrumentException {
        Hierarchy hierarchy = new Hierarchy();
        read.classes().forEach(each -> hierarchy.add(each.file));
        SourceCode code = sources.isEmpty() ? null : SourceCode.read(sources, classPath, notes);
        List<ClassCensus> found = new ArrayList<>();
        for (SelectedClass each : read.classes()) {
            found.add(count(each, hierarchy, code, notes));
        }
        return found;
    }

    private static ClassCensus count(SelectedClass each, Hierarchy hierarchy, SourceCode code, List<String> notes) {
        ClassFile file = each.file;
        ClassCensus census = new ClassCensus(each.name, file.getSourceFile(), each.sha256);
        InstructionTable table = new InstructionTable(file, hierarchy);
        InlinedLines inlined = InlinedLines.of(file);
        ClassJoin join = code == null ? null : new ClassJoin(file, table, code);
        boolean lines = true;
        for (MethodInfo method : file.getMethods()) {
            if (method.getCodeAttribute() == null) {
                continue;
            }
            try {
                BasicBlocks blocks = BasicBlocks.of(method.getCodeAttribute());
                CounterPlacement counters = CounterPlacement.of(method, blocks);
                MethodCensus bytecode = MethodCensus.ofBytecode(
                        file,
                        method,
                        blocks,
                        BlockPlace.of(blocks, inlined),
                        EditableBlocks.of(file, method, blocks),
                        counters,
                        table);
                census.methods.add(join == null ? bytecode : join.count(method, bytecode));
                lines &= method.getCodeAttribute().getAttribute(LineNumberAttribute.tag) != null;
            } catch (InstrumentException | RuntimeException e) {
                // Javassist throws various unchecked exceptions for malformed code.
                notes.add(each.name + '.' + method.getName() + method.getDescriptor() + ": damaged code, not counted ("
                        + e.getMessage() + ")");
            }
        }
        if (code != null && !lines) {
            notes.add(each.name + ": has no line numbers, so its sources are not used; compile with -g");
        }
        if (join != null && join.differs()) {
            notes.add(each.name
                    + ": methods are on other lines than in its source; compile these sources, or name those"
                    + " of this build");
        }
        return census;
    }
}
