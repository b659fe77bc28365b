package org.navitas.instrument.choice;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.navitas.instrument.edits.BlockEdits;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Release;

/**
 * Selects the classes and methods that get probes. Immutable.
 *
 * <p>Patterns match dotted class names: {@code *} matches any characters except dots, {@code **} any characters. A
 * pattern also matches the nested classes of the classes that it matches.
 *
 * <p>Without include patterns, all of the user's classes are instrumented. Dependencies are not, nor are known
 * frameworks in a jar that can contain some. With include patterns, only matching classes are instrumented, including
 * known frameworks and dependencies.
 *
 * <p>Exclude patterns override include patterns. {@code class#method} excludes the methods of that name in the classes
 * that match, but not in their nested classes. The runtime itself is never instrumented.
 */
public final class Options {
    private static final Options DEFAULTS = builder().build();

    private final List<String> includes;
    private final List<String> excludes;
    private final boolean skipTrivial;
    private final boolean hooks;
    private final boolean hookLibraries;
    private final BlockEdits edits;
    private final Probes probes;
    private final boolean part;

    private Options(Builder builder) {
        includes = Collections.unmodifiableList(new ArrayList<>(builder.includes));
        excludes = Collections.unmodifiableList(new ArrayList<>(builder.excludes));
        skipTrivial = builder.skipTrivial;
        hooks = builder.hooks;
        hookLibraries = builder.hookLibraries;
        edits = builder.edits;
        probes = builder.probes;
        part = builder.part;
    }

    /**
     * Returns the default options: all of the user's classes, no dependency.
     *
     * @return options without patterns
     */
    public static Options defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a builder.
     *
     * @return a new builder without patterns
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the include patterns.
     *
     * @return an unmodifiable list
     */
    public List<String> includes() {
        return includes;
    }

    /**
     * Returns the exclude patterns.
     *
     * @return an unmodifiable list
     */
    public List<String> excludes() {
        return excludes;
    }

    /**
     * Returns whether include patterns match a class of a jar, by the names of its files.
     *
     * @param jar a jar; a file of another kind has no classes
     * @return false without include patterns
     * @throws InstrumentException for a pattern that is none
     */
    public boolean includeSome(Path jar) throws InstrumentException {
        List<Pattern> patterns = new ArrayList<>();
        for (String pattern : includes) {
            patterns.add(Selection.compile(pattern, true));
        }
        if (patterns.isEmpty()) {
            return false;
        }
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return zip.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .map(Release::className)
                    .anyMatch(name -> patterns.stream()
                            .anyMatch(pattern -> pattern.matcher(name).matches()));
        } catch (IOException | IllegalArgumentException e) {
            return false; // a JVM ignores what is no jar, too
        }
    }

    /**
     * Returns whether trivial methods get no probes: those that only read, write or return a value.
     *
     * @return true to skip them
     */
    public boolean skipTrivial() {
        return skipTrivial;
    }

    /**
     * Returns whether calls of input, output and device APIs are hooked.
     *
     * @return true to hook the calls of the user's classes, and of HTTP clients among the libraries
     */
    public boolean hooks() {
        return hooks;
    }

    /**
     * Returns whether the calls of all libraries are hooked, too.
     *
     * @return true to hook them
     */
    public boolean hookLibraries() {
        return hookLibraries;
    }

    /**
     * Returns the blocks whose code is removed or repeated.
     *
     * @return edits, which can be {@link BlockEdits#none}
     */
    public BlockEdits edits() {
        return edits;
    }

    /**
     * Returns the kind of probes.
     *
     * @return {@link Probes#METHODS} unless another kind was set
     */
    public Probes probes() {
        return probes;
    }

    /**
     * Returns whether the classes are a part of an app, which need not have methods that get probes.
     *
     * @return false for all classes of an app
     */
    public boolean isPart() {
        return part;
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {
        private final List<String> includes = new ArrayList<>();
        private final List<String> excludes = new ArrayList<>();
        private boolean skipTrivial;
        private boolean hooks;
        private boolean hookLibraries;
        private BlockEdits edits = BlockEdits.none();
        private Probes probes = Probes.METHODS;
        private boolean part;

        private Builder() {}

        /**
         * Adds include patterns.
         *
         * @param patterns as {@link Options} describes
         * @return this
         */
        public Builder include(Collection<String> patterns) {
            includes.addAll(patterns);
            return this;
        }

        /**
         * Adds exclude patterns.
         *
         * @param patterns as {@link Options} describes
         * @return this
         */
        public Builder exclude(Collection<String> patterns) {
            excludes.addAll(patterns);
            return this;
        }

        /**
         * Sets whether trivial methods get no probes.
         *
         * @param skip true to skip them
         * @return this
         */
        public Builder skipTrivial(boolean skip) {
            skipTrivial = skip;
            return this;
        }

        /**
         * Sets whether calls of input, output and device APIs are hooked.
         *
         * @param hook true to hook them
         * @param libraries true to hook the calls of all libraries, too
         * @return this
         */
        public Builder hooks(boolean hook, boolean libraries) {
            hooks = hook;
            hookLibraries = hook && libraries;
            return this;
        }

        /**
         * Sets the blocks whose code is removed or repeated before classes get probes.
         *
         * @param blockEdits the edits
         * @return this
         */
        public Builder edits(BlockEdits blockEdits) {
            edits = blockEdits;
            return this;
        }

        /**
         * Sets the kind of probes.
         *
         * @param kind the kind for all classes
         * @return this
         */
        public Builder probes(Probes kind) {
            probes = kind;
            return this;
        }

        /**
         * Sets whether the classes are a part of an app.
         *
         * @param isPart true if other classes of the app get probes in another run
         * @return this
         */
        public Builder part(boolean isPart) {
            part = isPart;
            return this;
        }

        /**
         * Builds the options.
         *
         * @return immutable options; patterns are checked when instrumentation starts
         * @throws IllegalArgumentException for hooks without the probes of methods, which give them their call paths
         */
        public Options build() {
            if (hooks && probes != Probes.METHODS) {
                throw new IllegalArgumentException(
                        "hooks record within calls, and probes of kind '" + probes.text() + "' record none");
            }
            return new Options(this);
        }
    }
}
