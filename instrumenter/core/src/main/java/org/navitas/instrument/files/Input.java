package org.navitas.instrument.files;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A folder of classes or a jar, and where its instrumented copy goes: a folder for a folder, a jar for a jar.
 * Immutable.
 *
 * <p>Several folders can share one output folder. If they contain files of the same path, the first input's file is
 * kept, as on a class path.
 *
 * <p>{@code main} and {@code test} are the user's classes. All of them are instrumented, whatever their package. This
 * includes other modules of the user's project, with their own module path. In a jar that can contain frameworks,
 * classes of known frameworks are copied unless an include pattern matches them.
 *
 * <p>{@code dependency} is third-party code. Only classes that an include pattern matches are instrumented; the others
 * are copied.
 */
public final class Input {
    /** Source: the user's application or library classes. */
    public static final String MAIN = "main";
    /** Source: the user's test classes. */
    public static final String TEST = "test";
    /** Source: third-party classes. */
    public static final String DEPENDENCY = "dependency";

    private final Path in;
    private final Path out;
    private final String source;
    private final String module;
    private final boolean mayHoldFrameworks;

    /**
     * Creates an input without known frameworks.
     *
     * @param in an existing folder or jar; it is only read
     * @param out the copy to write; neither inside nor around an input
     * @param source {@link #MAIN}, {@link #TEST} or {@link #DEPENDENCY}
     * @param module the Gradle path of the module, such as {@code :app}
     * @throws IllegalArgumentException for another source
     */
    public Input(Path in, Path out, String source, String module) {
        this(in, out, source, module, false);
    }

    /**
     * Creates an input.
     *
     * @param in an existing folder or jar; it is only read
     * @param out the copy to write; neither inside nor around an input
     * @param source {@link #MAIN}, {@link #TEST} or {@link #DEPENDENCY}
     * @param module the Gradle path of the module, such as {@code :app}
     * @param mayHoldFrameworks whether classes of known frameworks are instrumented only if an include pattern matches
     *     them
     * @throws IllegalArgumentException for another source
     */
    public Input(Path in, Path out, String source, String module, boolean mayHoldFrameworks) {
        if (!MAIN.equals(source) && !TEST.equals(source) && !DEPENDENCY.equals(source)) {
            throw new IllegalArgumentException("source must be main, test or dependency, not " + source);
        }
        this.in = Objects.requireNonNull(in, "in");
        this.out = Objects.requireNonNull(out, "out");
        this.source = source;
        this.module = Objects.requireNonNull(module, "module");
        this.mayHoldFrameworks = mayHoldFrameworks;
    }

    /**
     * Returns the folder or jar to read.
     *
     * @return an existing path
     */
    public Path in() {
        return in;
    }

    /**
     * Returns the copy to write.
     *
     * @return a path outside all inputs
     */
    public Path out() {
        return out;
    }

    /**
     * Returns the kind of code.
     *
     * @return {@link #MAIN}, {@link #TEST} or {@link #DEPENDENCY}
     */
    public String source() {
        return source;
    }

    /**
     * Returns the module's Gradle path.
     *
     * @return such as {@code :app}
     */
    public String module() {
        return module;
    }

    /**
     * Returns whether the input can contain frameworks.
     *
     * @return whether classes of known frameworks need an include pattern to be instrumented
     */
    public boolean mayHoldFrameworks() {
        return mayHoldFrameworks;
    }

    /**
     * Returns where a file of the input is, for messages.
     *
     * @param path the file's path in the input
     * @return such as {@code app.jar@a/B.class}
     */
    public String place(String path) {
        return in + "@" + path;
    }
}
