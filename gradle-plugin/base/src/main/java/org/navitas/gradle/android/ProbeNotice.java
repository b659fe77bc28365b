package org.navitas.gradle.android;

import java.io.Serializable;
import org.gradle.api.logging.Logger;

/** What a build says about a variant's APK with probes. Immutable. */
public final class ProbeNotice implements Serializable {
    private static final long serialVersionUID = 1;
    private static final String OFF = "(navitas { enabled = false } leaves them out)";
    private static final String RELEASED = "has probes and is not debuggable. On any device, adb can make it record, by"
            + " /data/local/tmp/navitas/<package>.properties. Do not publish it";

    private final String apk;
    private final boolean debuggable;

    /**
     * Creates the notice.
     *
     * @param module Gradle path of the module
     * @param variant such as {@code demoDebug}
     * @param isApp false for a library, whose test APK includes it
     * @param debuggable whether the APK is debuggable
     */
    ProbeNotice(String module, String variant, boolean isApp, boolean debuggable) {
        this.apk = (module.equals(":") ? "" : module + ": ") + "the " + (isApp ? "APK" : "test APK") + " of " + variant;
        this.debuggable = debuggable;
    }

    /**
     * Prints the notice. Call it when the classes are instrumented.
     *
     * @param log the task's log
     */
    public void print(Logger log) {
        log.lifecycle("navitas: {} has probes {}", apk, OFF);
        if (warning() != null) {
            log.warn("navitas: {}", warning());
        }
    }

    /** Returns the warning about an APK that is like a released one, or null. */
    String warning() {
        return debuggable ? null : apk + " " + RELEASED;
    }
}
