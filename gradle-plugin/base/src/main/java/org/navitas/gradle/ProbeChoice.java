package org.navitas.gradle;

import java.util.regex.Pattern;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Input;
import org.navitas.instrument.Probes;

/** The kind of probes, and which calls of input, output and device APIs are hooked. A part of the inputs of tasks. */
public class HookChoice {
  /** Jars of the libraries that the instrumenter always hooks: see {@code Selection} of the instrumenter. */
  private static final Pattern ALWAYS = Pattern.compile("(okhttp|okio|kotlin-stdlib|kotlinx-coroutines|sqlite-framework)[-.].*");

  private final Provider<Probes> probes;
  private final Provider<Boolean> hooks;
  private final Provider<Boolean> hookLibraries;

  HookChoice(Provider<Probes> probes, Provider<Boolean> hooks, Provider<Boolean> hookLibraries) {
    this.probes = probes;
    this.hooks = hooks;
    this.hookLibraries = hookLibraries;
  }

  /**
   * Returns the kind of probes.
   *
   * @return see {@link org.navitas.instrument.Options#probes}
   */
  @Input
  public Probes getProbes() {
    return probes.get();
  }

  /**
   * Returns whether calls of APIs are hooked. Only the probes of methods have hooks.
   *
   * @return see {@link org.navitas.instrument.Options#hooks}
   */
  @Input
  public boolean getHooks() {
    return hooks.get() && getProbes() == Probes.METHODS;
  }

  /**
   * Returns whether the calls of all libraries are hooked.
   *
   * @return see {@link org.navitas.instrument.Options#hookLibraries}
   */
  @Input
  public boolean getHookLibraries() {
    return hookLibraries.get();
  }

  /** Returns whether a library's calls may be hooked. */
  boolean takes(ClassPathEntry library) {
    return getHooks() && library.isJar() && (getHookLibraries() || ALWAYS.matcher(library.file.getName()).matches());
  }
}
