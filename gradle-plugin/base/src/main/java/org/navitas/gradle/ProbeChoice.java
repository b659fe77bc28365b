package org.navitas.gradle;

import java.io.File;
import java.util.List;
import java.util.regex.Pattern;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Input;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.files.InstrumentException;

/**
 * The kind of probes, the patterns of classes that get them, and which calls of input, output and device APIs are hooked. A part
 * of the inputs of tasks.
 */
public class ProbeChoice {
    /** Jars of the libraries that the instrumenter always hooks: see {@code Selection} of the instrumenter. */
    private static final Pattern ALWAYS =
            Pattern.compile("(okhttp|okio|kotlin-stdlib|kotlinx-coroutines|sqlite-framework)[-.].*");

    private final Provider<Probes> probes;
    private final Provider<List<String>> includes;
    private final Provider<Boolean> hooks;
    private final Provider<Boolean> hookLibraries;

    ProbeChoice(
            Provider<Probes> probes,
            Provider<List<String>> includes,
            Provider<Boolean> hooks,
            Provider<Boolean> hookLibraries) {
        this.probes = probes;
        this.includes = includes;
        this.hooks = hooks;
        this.hookLibraries = hookLibraries;
    }

    /**
     * Returns the kind of probes.
     *
     * @return see {@link org.navitas.instrument.choice.Options#probes}
     */
    @Input
    public Probes getProbes() {
        return probes.get();
    }

    /**
     * Returns the include patterns, which can match classes of libraries.
     *
     * @return as {@link org.navitas.instrument.choice.Options} describes
     */
    @Input
    public List<String> getIncludes() {
        return includes.get();
    }

    /**
     * Returns whether calls of APIs are hooked. Only the probes of methods have hooks.
     *
     * @return see {@link org.navitas.instrument.choice.Options#hooks}
     */
    @Input
    public boolean getHooks() {
        return hooks.get() && getProbes() == Probes.METHODS;
    }

    /**
     * Returns whether the calls of all libraries are hooked.
     *
     * @return see {@link org.navitas.instrument.choice.Options#hookLibraries}
     */
    @Input
    public boolean getHookLibraries() {
        return hookLibraries.get();
    }

    /**
     * Returns whether classes of a library may get probes or hooks.
     *
     * @throws GradleException for an include pattern that is none
     */
    boolean takes(ClassPathEntry library) {
        return library.isJar() && (isHooked(library.file.getName()) || isIncluded(library.file));
    }

    private boolean isHooked(String name) {
        return getHooks() && (getHookLibraries() || ALWAYS.matcher(name).matches());
    }

    private boolean isIncluded(File library) {
        try {
            return Options.builder().include(getIncludes()).build().includeSome(library.toPath());
        } catch (InstrumentException e) {
            throw new GradleException("navitas.include: " + e.getMessage(), e);
        }
    }
}
