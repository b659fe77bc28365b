package org.navitas.android;

import java.lang.management.ManagementFactory;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Running clocks. All are CLOCK_MONOTONIC, since the virtual phone never sleeps. */
@Implements(className = "android.os.SystemClock", isInAndroidSdk = false)
public class ClockShadow {
    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_US = 1_000;

    @Implementation
    protected static void sleep(long millis) {
        long end = uptimeMillis() + millis;
        boolean interrupted = false;
        for (long left = millis; left > 0; left = end - uptimeMillis()) {
            try {
                Thread.sleep(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Implementation
    protected static boolean setCurrentTimeMillis(long millis) {
        return false; // apps have no permission
    }

    @Implementation
    protected static long uptimeMillis() {
        return System.nanoTime() / NS_PER_MS;
    }

    @Implementation
    protected static long uptimeNanos() {
        return System.nanoTime();
    }

    @Implementation
    protected static long elapsedRealtime() {
        return uptimeMillis();
    }

    @Implementation
    protected static long elapsedRealtimeNanos() {
        return System.nanoTime();
    }

    @Implementation
    protected static long currentThreadTimeMillis() {
        return threadNanos() / NS_PER_MS;
    }

    @Implementation
    protected static long currentThreadTimeMicro() {
        return threadNanos() / NS_PER_US;
    }

    @Implementation
    protected static long currentTimeMicro() {
        return System.currentTimeMillis() * NS_PER_US;
    }

    @Implementation
    protected static long currentNetworkTimeMillis() {
        return System.currentTimeMillis();
    }

    static long threadNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
