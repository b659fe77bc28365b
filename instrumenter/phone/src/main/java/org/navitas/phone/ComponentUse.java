package org.navitas.phone;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The components that this process uses, reported to the phone. An owner (a listener, a player, a lock) uses each part
 * of a component at most once; starting it again changes nothing. Thread-safe.
 */
public final class ComponentUse {
    private static final Map<Object, Map<String, Integer>> KEYS = new IdentityHashMap<>();
    private static int lastKey;

    private ComponentUse() {}

    /**
     * Starts a use.
     *
     * @param kind the component, as the phone names it
     * @param owner the object that is passed to {@link #stop} later
     * @param part what the owner uses of the component, without a line break
     * @param currentMa the current that the component's driver states, or 0
     */
    public static synchronized void start(String kind, Object owner, String part, double currentMa) {
        Map<String, Integer> keys = KEYS.computeIfAbsent(owner, any -> new HashMap<>());
        if (keys.putIfAbsent(kind + ' ' + part, lastKey + 1) == null) {
            lastKey++;
            LogSocket.report(kind, "+" + lastKey + ' ' + currentMa + ' ' + part);
        }
    }

    /**
     * Reports the nice value of a thread.
     *
     * @param tid the kernel's id of the thread
     * @param nice from -20 to 19
     */
    public static void setNice(int tid, int nice) {
        LogSocket.report("nice", tid + " " + nice);
    }

    /** Reports a use that ends by itself. */
    public static void once(String kind) {
        LogSocket.report(kind, "!");
    }

    /** Stops the use of one part. Does nothing if it has not started. */
    public static synchronized void stop(String kind, Object owner, String part) {
        Map<String, Integer> keys = KEYS.get(owner);
        Integer key = keys == null ? null : keys.remove(kind + ' ' + part);
        if (key != null) {
            LogSocket.report(kind, "-" + key);
        }
        if (keys != null && keys.isEmpty()) {
            KEYS.remove(owner);
        }
    }

    /** Stops all that an owner uses of a component. */
    public static synchronized void stop(String kind, Object owner) {
        Map<String, Integer> keys = KEYS.get(owner);
        if (keys != null) {
            for (String use : keys.keySet().toArray(new String[0])) {
                if (use.startsWith(kind + ' ')) {
                    stop(kind, owner, use.substring(kind.length() + 1));
                }
            }
        }
    }
}
