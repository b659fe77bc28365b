package org.navitas.instrument;

import javassist.bytecode.MethodInfo;

/** Selects the methods with code that get no probes although they could. */
interface MethodChoice {
  /** Returns the reason to skip the method, one of {@link Skipped}'s constants, or null to instrument it. */
  String reasonToSkip(String className, MethodInfo method, CodeScan code);
}
