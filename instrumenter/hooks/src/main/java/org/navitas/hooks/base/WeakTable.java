package org.navitas.hooks.base;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

/**
 * Values by the identity of objects, which can be collected as if they were not here. Thread-safe. A value must not
 * refer to its object.
 */
public final class WeakTable<V> {
    private final Map<Object, V> values = new HashMap<>();
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

    /** Sets the value of an object, and returns the former one or null. */
    public synchronized V put(Object object, V value) {
        for (Reference<?> each = collected.poll(); each != null; each = collected.poll()) {
            values.remove(each);
        }
        return values.put(new Key(object, collected), value);
    }

    /** Returns the value of an object or null. */
    public synchronized V get(Object object) {
        return values.get(new Sought(object));
    }

    /** Removes the value of an object, and returns it or null. */
    public synchronized V remove(Object object) {
        return values.remove(new Key(object, null));
    }

    /** Returns how many objects have values. */
    public synchronized int size() {
        return values.size();
    }

    /** Equals the key of an object. Cheaper than a key, since the garbage collector does not look after it. */
    private static final class Sought {
        private final Object object;

        Sought(Object object) {
            this.object = object;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).get() == object;
        }
    }

    /** An object's identity; also of a collected one, so that it can be removed. */
    private static final class Key extends WeakReference<Object> {
        private final int hash;

        Key(Object object, ReferenceQueue<Object> collected) {
            super(object, collected);
            hash = System.identityHashCode(object);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            if (this == other) {
                return true;
            }
            Object mine = get();
            return mine != null && other instanceof Key && ((Key) other).get() == mine;
        }
    }
}
