package org.navitas.hooks.intents;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A callback of the platform, and which classes of the app override it. The platform calls the override that is farthest
 * down; that one can call those above. So the first one with an inserted call stands for the delivery. Thread-safe.
 */
public final class Callback {
    private static final String PLATFORM = "android.";

    private final String name;
    private final Class<?>[] parameters;
    private final Map<Class<?>, Overrides> known = new ConcurrentHashMap<>();

    Callback(String name, Class<?>... parameters) {
        this.name = name;
        this.parameters = parameters;
    }

    /** What a class and its superclasses override. */
    private static final class Overrides {
        /** The first class from below whose override has an inserted call, or null. */
        Class<?> first;
        /** Whether a class overrides the callback, and whether the override farthest down lacks an inserted call. */
        boolean any;

        boolean hidden;
    }

    /** Returns whether a delivery to this object is seen first in a class, and in none of the earlier callbacks. */
    public boolean isFirst(Object self, Class<?> in, Callback... earlier) {
        for (Callback each : earlier) {
            if (each.of(self.getClass()).first != null) {
                return false;
            }
        }
        return of(self.getClass()).first == in;
    }

    /** Returns whether a class overrides the callback. */
    boolean isOverridden(Class<?> type) {
        return of(type).any;
    }

    /** Returns whether code of a class gets the callback without an inserted call before it. */
    boolean isHidden(Class<?> type) {
        return of(type).hidden;
    }

    private Overrides of(Class<?> type) {
        Overrides found = known.get(type);
        if (found == null) {
            found = find(type);
            known.put(type, found);
        }
        return found;
    }

    private Overrides find(Class<?> type) {
        Overrides found = new Overrides();
        for (Class<?> each = type;
                each != null && !each.getName().startsWith(PLATFORM) && found.first == null;
                each = each.getSuperclass()) {
            try {
                Method override = each.getDeclaredMethod(name, parameters);
                boolean isMarked = override.isAnnotationPresent(Received.class);
                found.hidden |= !found.any && !isMarked;
                found.any = true;
                found.first = isMarked ? each : null;
            } catch (NoSuchMethodException e) {
                continue; // inherited from above
            } catch (LinkageError e) { // a signature names a class that this phone lacks
                found.hidden = true;
                found.any = true;
            }
        }
        return found;
    }
}
