package org.navitas.instrument.edits;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.MethodInfo;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.files.ByteSink;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.InstrumentException;

/** The edits of one class. Errors name the edits file and the line. */
final class ClassEdit {
    private final String edits;
    private final String className;
    private final List<BlockEdit> lines;

    /**
     * Creates the edits of a class.
     *
     * @param edits name of the edits file
     * @param lines its edits of the class; at least one
     */
    ClassEdit(String edits, String className, List<BlockEdit> lines) {
        this.edits = edits;
        this.className = className;
        this.lines = lines;
    }

    /** Returns the edited class file. */
    byte[] apply(byte[] original) throws InstrumentException {
        try {
            if (ClassScan.majorOf(original) > ClassScan.NEWEST_MAJOR) {
                throw failure(lines.get(0), "is " + ClassScan.newer() + "; compile for an older target");
            }
            if (ClassScan.of(original).instrumented) {
                throw failure(lines.get(0), "already has probes; use the original class");
            }
            ClassFile file = new ClassFile(new DataInputStream(new ByteSource(original)));
            Map<String, List<BlockEdit>> methods = lines.stream().collect(Collectors.groupingBy(line -> line.method));
            for (List<BlockEdit> each : methods.values()) {
                apply(file, each);
            }
            ByteSink out = new ByteSink(original.length * 5 / 4 + 512);
            file.write(new DataOutputStream(out));
            return out.toByteArray();
        } catch (MalformedClassException | BadBytecode | IOException | RuntimeException e) {
            // Javassist throws various unchecked exceptions for malformed classes.
            throw failure(lines.get(0), "is damaged: " + e.getMessage());
        }
    }

    /** Makes the edits of one method. */
    private void apply(ClassFile file, List<BlockEdit> ofMethod)
            throws InstrumentException, MalformedClassException, BadBytecode {
        MethodInfo method = method(file, ofMethod.get(0));
        BasicBlocks blocks = BasicBlocks.of(method.getCodeAttribute());
        EditableBlocks editable = EditableBlocks.of(file, method, blocks);
        int last = blocks.blocks().size() - 1;
        Map<EditableBlocks.Range, Integer> times = new HashMap<>();
        for (BlockEdit edit : ofMethod) {
            if (edit.block > last) {
                throw failure(edit, "has no block " + edit.block + " in " + edit.method + ", only 0 to " + last);
            }
            EditableBlocks.Range range = editable.range(edit.block);
            if (range == null) {
                throw failure(
                        edit,
                        "has a block " + edit.block + " in " + edit.method
                                + " that cannot be edited; the census says which can");
            }
            times.put(range, edit.times);
        }
        CodeAttribute edited = CodeEdit.apply(method.getCodeAttribute(), times);
        if (edited == null) {
            throw failure(ofMethod.get(0), "would have too long code in " + ofMethod.get(0).method + "; repeat less");
        }
        method.setCodeAttribute(edited);
    }

    private MethodInfo method(ClassFile file, BlockEdit edit) throws InstrumentException {
        for (MethodInfo each : file.getMethods()) {
            if (each.getCodeAttribute() != null && edit.method.equals(each.getName() + each.getDescriptor())) {
                return each;
            }
        }
        throw failure(edit, "has no method " + edit.method + " with code");
    }

    private InstrumentException failure(BlockEdit edit, String cause) {
        return BlockEdits.failure(edits, edit.line, "class " + className + " " + cause);
    }
}
