package org.navitas.instrument.edits;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;

/**
 * Blocks whose code is removed or repeated before classes get probes, from a file (docs/dev/formats.md, "Block edits").
 * Blocks have the numbers of the original class, and {@link EditableBlocks} says what of them is edited. Immutable.
 */
public final class BlockEdits {
    private static final BlockEdits NONE = new BlockEdits("", Collections.emptyMap(), false);

    private final String file;
    /** Edits by class, in the order of lines. */
    private final Map<String, List<BlockEdit>> byClass;

    private final boolean allClasses;

    private BlockEdits(String file, Map<String, List<BlockEdit>> byClass, boolean allClasses) {
        this.file = file;
        this.byClass = byClass;
        this.allClasses = allClasses;
    }

    /**
     * Returns edits that change nothing.
     *
     * @return no edits
     */
    public static BlockEdits none() {
        return NONE;
    }

    /**
     * Reads an edits file. Its classes must all be among those to instrument.
     *
     * @param path the file
     * @return its edits
     * @throws InstrumentException that names the file and the line, if it cannot be read or a line is no edit
     */
    public static BlockEdits read(Path path) throws InstrumentException {
        Map<String, List<BlockEdit>> byClass = new TreeMap<>();
        Map<String, Integer> lines = new HashMap<>();
        String[] texts = text(path).split("\r?\n", -1);
        for (int i = 0; i < texts.length; i++) {
            if (texts[i].isEmpty()) {
                continue;
            }
            BlockEdit edit;
            try {
                edit = BlockEdit.parse(texts[i], i + 1);
            } catch (InstrumentException e) {
                throw failure(path.toString(), i + 1, e.getMessage());
            }
            Integer earlier = lines.putIfAbsent(edit.place(), edit.line);
            if (earlier != null) {
                throw failure(path.toString(), edit.line, edit.place() + " is also edited in line " + earlier);
            }
            byClass.computeIfAbsent(edit.className, name -> new ArrayList<>()).add(edit);
        }
        return new BlockEdits(path.toString(), byClass, true);
    }

    /**
     * Returns the same edits for one module of several: classes of edits can be missing, since other modules can have them.
     *
     * @return edits without the check that all classes are there
     */
    public BlockEdits ofOneModule() {
        return new BlockEdits(file, byClass, false);
    }

    private static String text(Path path) throws InstrumentException {
        try {
            if (Files.exists(path) && !Files.isRegularFile(path)) {
                throw new IOException("not a regular file");
            }
            try (InputStream in = Files.newInputStream(path)) {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(Io.read(in)))
                        .toString();
            }
        } catch (CharacterCodingException e) {
            throw new InstrumentException(path + ": is not UTF-8 text", e);
        } catch (IOException e) {
            throw Io.failure(path.toString(), e);
        }
    }

    /** Creates an error that names a line. */
    static InstrumentException failure(String file, int line, String cause) {
        return new InstrumentException(file + ":" + line + ": " + cause);
    }

    /** Returns whether a class is edited. */
    public boolean names(String className) {
        return byClass.containsKey(className);
    }

    /** Returns a text that differs if the edits of a class do, or null without edits. */
    public String id(String className) {
        List<BlockEdit> edits = byClass.get(className);
        return edits == null
                ? null
                : Io.sha256Hex(edits.stream().map(BlockEdit::text).collect(Collectors.joining("\n")));
    }

    /**
     * Checks that all classes of edits were found.
     *
     * @throws InstrumentException if one is missing, and this is not {@link #ofOneModule}
     */
    public void checkFound(Set<String> classes) throws InstrumentException {
        for (Map.Entry<String, List<BlockEdit>> each : byClass.entrySet()) {
            if (allClasses && !classes.contains(each.getKey())) {
                throw failure(
                        file,
                        each.getValue().get(0).line,
                        "class " + each.getKey() + " is not among the classes to instrument");
            }
        }
    }

    /**
     * Edits a class.
     *
     * @param className its name, with dots
     * @param original a class file; not changed
     * @return the edited class file, or {@code original} if no edit names it
     * @throws InstrumentException that names the file and the line, if an edit cannot be made
     */
    public byte[] apply(String className, byte[] original) throws InstrumentException {
        List<BlockEdit> edits = byClass.get(className);
        if (edits == null) {
            return original;
        }
        return new ClassEdit(file, className, edits).apply(original);
    }
}
