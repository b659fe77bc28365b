package org.navitas.instrument.choice;

import javassist.bytecode.MethodInfo;
import org.navitas.instrument.code.CodeScan;

/** Selects the methods with code that get no probes although they could. */
public interface MethodChoice {
    /** Returns the reason to skip the method, one of {@link Skipped}'s constants, or null to instrument it. */
    String reasonToSkip(String className, MethodInfo method, CodeScan code);
}
