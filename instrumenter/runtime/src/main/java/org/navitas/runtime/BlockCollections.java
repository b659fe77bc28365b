package org.navitas.runtime;

import android.os.Debug;

/** The number of garbage collections of this process: here Android's. */
class BlockCollections {
    /** Returns the number, or -1 if unknown. Uses reflection: the method is of API 23. */
    long count() {
        try {
            return Long.parseLong((String)
                    Debug.class.getMethod("getRuntimeStat", String.class).invoke(null, "art.gc.gc-count"));
        } catch (ReflectiveOperationException | NumberFormatException e) {
            return -1;
        }
    }

    static BlockCollections detect() {
        return "Dalvik".equals(System.getProperty("java.vm.name")) ? new BlockCollections() : new BlockJvmCollections();
    }
}
