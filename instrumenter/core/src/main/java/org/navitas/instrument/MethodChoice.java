package org.navitas.instrument;

import javassist.bytecode.MethodInfo;

/** Which methods with code get no probes although they could. */
interface MethodChoice {
  /** The reason, one of {@link Skipped}'s, or null. */
  String reasonToSkip(String className, MethodInfo method, CodeScan code);
}
