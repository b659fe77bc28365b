package org.navitas.gradle.android;

import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.edits.BlockEdits;
import org.navitas.instrument.files.InstrumentException;

/** Which classes of an Android module get probes. Immutable; a task input. */
public final class ClassOptions implements Serializable {
    private static final long serialVersionUID = 2;
    /** Matches all classes; excluding it leaves nothing to instrument. */
    public static final String ALL = "**";

    /** Gradle path of the module. */
    public final String module;

    private final ArrayList<String> includes;
    private final ArrayList<String> excludes;
    private final boolean skipTrivial;
    private final boolean hooks;
    private final boolean hookLibraries;
    private final Probes probes;
    private final File edits;

    /** {@code edits} is the file with blocks to remove or repeat, or null. */
    ClassOptions(
            String module,
            List<String> includes,
            List<String> excludes,
            boolean skipTrivial,
            boolean hooks,
            boolean hookLibraries,
            Probes probes,
            File edits) {
        this.module = module;
        this.includes = new ArrayList<>(includes);
        this.excludes = new ArrayList<>(excludes);
        this.skipTrivial = skipTrivial;
        this.hooks = hooks;
        this.hookLibraries = hookLibraries;
        this.probes = probes;
        this.edits = edits;
    }

    /**
     * Returns these options without classes that match a pattern.
     *
     * @param pattern an exclude pattern
     * @return new options
     */
    public ClassOptions without(String pattern) {
        List<String> more = new ArrayList<>(excludes);
        more.add(pattern);
        return new ClassOptions(module, includes, more, skipTrivial, hooks, hookLibraries, probes, edits);
    }

    /** Returns whether no class gets probes. */
    boolean isNothing() {
        return excludes.contains(ALL);
    }

    /**
     * Returns whether libraries can get probes or hooks.
     *
     * @return whether there are include patterns or hooks
     */
    public boolean mayNameLibraries() {
        return !includes.isEmpty() || hooks;
    }

    /** Returns whether classes of a library can get probes or hooks. */
    boolean mayChange(File library) {
        try {
            return hooks
                    || library.isDirectory()
                    || Options.builder().include(includes).build().includeSome(library.toPath());
        } catch (InstrumentException e) {
            return true; // the instrumenter reports the pattern
        }
    }

    /**
     * Returns whether some classes get probes, and none of them depends on other classes or on edits.
     *
     * @return whether classes can get their probes one by one
     */
    public boolean allowClassByClass() {
        return probes == Probes.METHODS && edits == null && !mayNameLibraries() && !isNothing();
    }

    /**
     * Returns a line that differs if the result can differ.
     *
     * @return the options as text
     */
    public String text() {
        return module + " " + includes + " " + excludes + " " + skipTrivial + " " + hooks + " " + hookLibraries + " "
                + probes.text() + editsText();
    }

    /** Returns the content of the file, since a task's result depends on it. The instrumenter reports a file that cannot be read. */
    private String editsText() {
        try {
            return edits == null ? "" : "\n" + new String(Files.readAllBytes(edits.toPath()), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "\n" + e;
        }
    }

    /**
     * Returns the file with blocks to remove or repeat.
     *
     * @return an edits file, or null
     */
    public File edits() {
        return edits;
    }

    /**
     * Returns the instrumenter's options.
     *
     * @param isPart whether other classes of the app get probes in another run
     * @throws InstrumentException if the edits file cannot be read or has errors
     */
    Options options(boolean isPart) throws InstrumentException {
        BlockEdits read = edits == null
                ? BlockEdits.none()
                : BlockEdits.read(edits.toPath()).ofOneModule();
        return Options.builder()
                .include(includes)
                .exclude(excludes)
                .skipTrivial(skipTrivial)
                .hooks(hooks, hookLibraries)
                .probes(probes)
                .edits(read)
                .part(isPart)
                .build();
    }
}
