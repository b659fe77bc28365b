package org.navitas.instrument;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Which classes and methods get probes. Patterns are over dotted class names: {@code *} stands for any characters but dots,
 * {@code **} for any characters; a pattern takes in the nested classes of those it matches.
 *
 * <p>Without include patterns all classes of the user are instrumented, no dependency, and no known framework in a jar that
 * may hold some. With include patterns only classes that match one are, known frameworks and dependencies among them.
 * Exclude patterns outrank include patterns; {@code class#method} excludes the methods of that name, of the very classes that match.
 * The runtime itself is never instrumented.
 */
public final class Options {
  private static final Options DEFAULTS = builder().build();

  private final List<String> includes;
  private final List<String> excludes;
  private final boolean skipTrivial;

  private Options(Builder builder) {
    includes = Collections.unmodifiableList(new ArrayList<>(builder.includes));
    excludes = Collections.unmodifiableList(new ArrayList<>(builder.excludes));
    skipTrivial = builder.skipTrivial;
  }

  /** All of the user's classes, no dependency. */
  public static Options defaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  public List<String> includes() {
    return includes;
  }

  public List<String> excludes() {
    return excludes;
  }

  /** Whether methods that only read, write or return a value get no probes ({@link TrivialMethod}). */
  public boolean skipTrivial() {
    return skipTrivial;
  }

  /** Collects patterns; see {@link Options}. */
  public static final class Builder {
    private final List<String> includes = new ArrayList<>();
    private final List<String> excludes = new ArrayList<>();
    private boolean skipTrivial;

    private Builder() {}

    public Builder include(Collection<String> patterns) {
      includes.addAll(patterns);
      return this;
    }

    public Builder exclude(Collection<String> patterns) {
      excludes.addAll(patterns);
      return this;
    }

    public Builder skipTrivial(boolean skip) {
      skipTrivial = skip;
      return this;
    }

    public Options build() {
      return new Options(this);
    }
  }
}
