package org.navitas.android;

import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowDebug;

/** The CPU clock of the present thread. */
@Implements(className = "android.os.Debug")
public class DebugShadow extends ShadowDebug {
    @Implementation
    protected static long threadCpuTimeNanos() {
        return ClockShadow.threadNanos();
    }
}
