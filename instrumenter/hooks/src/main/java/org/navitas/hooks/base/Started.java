package org.navitas.hooks.base;

import org.navitas.runtime.Hook;

/** What hooked code has started and not stopped, by the object that stops it: apps also stop what is off. */
public final class Started {
    private final WeakTable<Boolean> objects = new WeakTable<>();

    /** Notes a start. Without records, it does nothing. */
    public void add(Object object) {
        if (object != null && Hook.now() != 0) {
            objects.put(object, true);
        }
    }

    public boolean contains(Object object) {
        return object != null && objects.get(object) != null;
    }

    /** Notes a stop, and returns whether the object had been started. */
    public boolean remove(Object object) {
        return object != null && objects.remove(object) != null;
    }

    /** Ends a call that stops. Records the stop if the object had been started. */
    public void end(int api, int kind, long start, long done, Object object) {
        if (done == Hook.FAILED || remove(object)) {
            Hook.end(api, start, kind, Hook.STOP, done, System.identityHashCode(object));
        } else {
            Hook.leave(api);
        }
    }
}
