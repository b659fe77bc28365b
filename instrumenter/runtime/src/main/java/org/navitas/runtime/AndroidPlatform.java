package org.navitas.runtime;

import android.os.Debug;
import android.os.SystemClock;

/** Android, API 21 or later. */
final class AndroidPlatform extends Platform {
    @Override
    long threadCpuNanos() {
        return Debug.threadCpuTimeNanos();
    }

    @Override
    int threadId() {
        return android.os.Process.myTid();
    }

    @Override
    int processId() {
        return android.os.Process.myPid();
    }

    @Override
    int userId() {
        return android.os.Process.myUid();
    }

    /** Uses reflection: the method (API 17) is newer than the classes that this is compiled against. */
    @Override
    long bootNanos() {
        try {
            return (Long) SystemClock.class.getMethod("elapsedRealtimeNanos").invoke(null);
        } catch (ReflectiveOperationException e) {
            return -1;
        }
    }

    @Override
    long realNanos() {
        return System.currentTimeMillis() * 1_000_000;
    }
}
