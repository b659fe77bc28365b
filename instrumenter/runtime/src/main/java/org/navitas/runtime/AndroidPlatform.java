package org.navitas.runtime;

import android.os.Debug;
import android.os.SystemClock;
import java.lang.reflect.Method;

/** Android, from API 21. */
final class AndroidPlatform extends Platform {
    private final Method elapsedRealtimeNanos;

    AndroidPlatform() {
        Method method = null;
        try {
            // Younger (API 17) than the classes that this is compiled against.
            method = SystemClock.class.getMethod("elapsedRealtimeNanos");
        } catch (NoSuchMethodException e) {
            note("no boottime clock: " + e);
        }
        elapsedRealtimeNanos = method;
    }

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
    long bootNanos() {
        try {
            return elapsedRealtimeNanos == null ? -1 : (Long) elapsedRealtimeNanos.invoke(null);
        } catch (ReflectiveOperationException e) {
            return -1;
        }
    }

    @Override
    long realNanos() {
        return System.currentTimeMillis() * 1_000_000;
    }

    @Override
    void note(String text) {
        android.util.Log.w(TAG, text);
    }
}
