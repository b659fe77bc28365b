package org.navitas.hooks;

import org.navitas.runtime.Hook;

/** What hooked code has started and not stopped, by the object that stops it: apps also stop what is off. */
final class Started {
    private final WeakTable<Boolean> objects = new WeakTable<>();

    /** Notes a start. Without records, it does nothing. */
    void add(Object object) {
        if (object != null && Hook.now() != 0) {
            objects.put(object, true);
        }
    }

    boolean contains(Object object) {
        return object != null && objects.get(object) != null;
    }

    /** Notes a stop, and returns whether the object had been started. */
    boolean remove(Object object) {
        return object != null && objects.remove(object) != null;
    }
}
