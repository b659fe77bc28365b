package org.navitas.instrument.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The result of one run of {@link BulkInstrumenter}. Immutable. */
public final class Summary {
    private final String mapId;
    private final int classes;
    private final int methods;
    private final int skippedMethods;
    private final int rewritten;
    private final int reused;
    private final int seen;
    private final Map<String, Integer> frameworks;
    private final Map<String, String> unusedIncludes;
    private final Map<String, String> unusedExcludes;
    private final List<String> warnings;

    Summary(
            String mapId,
            int classes,
            int methods,
            int skippedMethods,
            int rewritten,
            int reused,
            int seen,
            Map<String, Integer> frameworks,
            Map<String, String> unusedIncludes,
            Map<String, String> unusedExcludes,
            List<String> warnings) {
        this.mapId = mapId;
        this.classes = classes;
        this.methods = methods;
        this.skippedMethods = skippedMethods;
        this.rewritten = rewritten;
        this.reused = reused;
        this.seen = seen;
        this.frameworks = Collections.unmodifiableMap(new TreeMap<>(frameworks));
        this.unusedIncludes = Collections.unmodifiableMap(unusedIncludes);
        this.unusedExcludes = Collections.unmodifiableMap(unusedExcludes);
        this.warnings = Collections.unmodifiableList(new ArrayList<>(warnings));
    }

    /**
     * Returns the method map's id.
     *
     * @return 16 hexadecimal digits
     */
    public String mapId() {
        return mapId;
    }

    /**
     * Returns the number of classes in the map.
     *
     * @return classes with probes
     */
    public int classes() {
        return classes;
    }

    /**
     * Returns the number of methods with probes that this run added to the map.
     *
     * @return methods with new ids
     */
    public int methods() {
        return methods;
    }

    /**
     * Returns the number of entries in the map's list of skipped classes and methods.
     *
     * @return skipped methods and classes
     */
    public int skippedMethods() {
        return skippedMethods;
    }

    /**
     * Returns the number of instrumented classes that were written.
     *
     * @return written classes
     */
    public int rewritten() {
        return rewritten;
    }

    /**
     * Returns the number of instrumented classes that an earlier run wrote and that are still current.
     *
     * @return kept classes
     */
    public int reused() {
        return reused;
    }

    /**
     * Returns the number of class files that can hold code, with probes or without.
     *
     * @return class files of the inputs
     */
    public int seen() {
        return seen;
    }

    /**
     * Returns the number of skipped classes of known frameworks.
     *
     * @return counts by the include pattern that selects the framework; unmodifiable
     */
    public Map<String, Integer> frameworks() {
        return frameworks;
    }

    /**
     * Returns the include patterns that match no class of the inputs.
     *
     * @return a sentence about each pattern, by the pattern, safe to print; unmodifiable
     */
    public Map<String, String> unusedIncludes() {
        return unusedIncludes;
    }

    /**
     * Returns the exclude patterns that leave out nothing of the inputs.
     *
     * @return a sentence about each pattern, by the pattern, safe to print; unmodifiable
     */
    public Map<String, String> unusedExcludes() {
        return unusedExcludes;
    }

    /**
     * Returns the warnings.
     *
     * @return one line each, safe to print; unmodifiable
     */
    public List<String> warnings() {
        return warnings;
    }
}
