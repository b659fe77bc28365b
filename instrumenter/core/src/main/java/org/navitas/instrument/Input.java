package org.navitas.instrument;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A folder of classes or a jar, and where its instrumented copy goes (a folder for a folder, a jar for a jar).
 * Several folders may share one output folder: of files with one path the first input's is kept, as on a class path.
 *
 * <p>{@code main} and {@code test} are the user's classes: all are instrumented, whatever their package. Of a jar that may
 * hold frameworks beside the user's classes, those of known frameworks are copied unless an include pattern names them.
 * {@code dependency} is third-party code: only what an include pattern names is instrumented, the rest is copied.
 * Other modules of the user's own project are therefore {@code main}, with their own module path.
 */
public final class Input {
  public static final String MAIN = "main";
  public static final String TEST = "test";
  public static final String DEPENDENCY = "dependency";

  private final Path in;
  private final Path out;
  private final String source;
  private final String module;
  private final boolean mayHoldFrameworks;

  /**
   * The user's classes, or a dependency.
   *
   * @param in an existing folder or jar; it is only read
   * @param out the copy to make; neither inside nor around an input
   * @param source {@link #MAIN}, {@link #TEST} or {@link #DEPENDENCY}
   * @param module the Gradle path of the module, such as {@code :app}
   * @throws IllegalArgumentException for another source
   */
  public Input(Path in, Path out, String source, String module) {
    this(in, out, source, module, false);
  }

  /** The same; {@code mayHoldFrameworks}: classes of known frameworks get probes only where an include pattern names them. */
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

  public Path in() {
    return in;
  }

  public Path out() {
    return out;
  }

  public String source() {
    return source;
  }

  public String module() {
    return module;
  }

  public boolean mayHoldFrameworks() {
    return mayHoldFrameworks;
  }
}
