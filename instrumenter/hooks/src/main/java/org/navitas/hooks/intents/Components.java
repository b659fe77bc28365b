package org.navitas.hooks.intents;

import android.app.Activity;
import android.app.Service;
import android.content.Context;
import android.content.ContextWrapper;
import java.lang.reflect.Method;

/** What is known of the app's components and contexts at run time. */
final class Components {
    /** Kinds of receivers of an intent. */
    static final int ACTIVITY = 0, SERVICE = 1, BINDING = 2, RECEIVER = 3, RECEIVERS = 4;
    /** The receiver of an intent that never carries a token. */
    static final int NO_RECEIVER = -1;

    private static final int MOST_WRAPPERS = 16;

    private Components() {}

    /** Returns the class of the component that a context is, or wraps; empty for others. */
    static String moduleOf(Context context) {
        Context each = context;
        for (int i = 0; i < MOST_WRAPPERS && each != null; i++) {
            if (each instanceof Activity || each instanceof Service) {
                return each.getClass().getName();
            }
            each = each instanceof ContextWrapper ? ((ContextWrapper) each).getBaseContext() : null;
        }
        return "";
    }

    /** Returns whether code of the app could see what is passed to this context, since it overrides a method that sends. */
    static boolean sees(Context context) {
        Context each = context;
        for (int i = 0; i < MOST_WRAPPERS && each != null; i++) {
            if (overrides(each.getClass())) {
                return true;
            }
            each = each instanceof ContextWrapper ? ((ContextWrapper) each).getBaseContext() : null;
        }
        return false;
    }

    /** Returns whether a class, or one above it, overrides a method that sends; libraries of Android do not count. */
    static boolean overrides(Class<?> type) {
        Boolean known = IntentTables.get().overriding.get(type);
        if (known == null) {
            known = false;
            for (Class<?> each = type;
                    each != null && !known && !isPlatform(each.getName());
                    each = each.getSuperclass()) {
                known = declaresSend(each);
            }
            IntentTables.get().overriding.put(type, known);
        }
        return known;
    }

    private static boolean isPlatform(String name) {
        return name.startsWith("android.") || name.startsWith("androidx.");
    }

    private static boolean declaresSend(Class<?> type) {
        try {
            for (Method method : type.getDeclaredMethods()) {
                if (sends(method.getName())) {
                    return true;
                }
            }
            return false;
        } catch (LinkageError e) { // a signature names a class that this phone lacks
            return true;
        }
    }

    private static boolean sends(String method) {
        switch (method) {
            case "startActivity":
            case "startActivities":
            case "startActivityForResult":
            case "startActivityIfNeeded":
            case "startActivityFromFragment":
            case "startService":
            case "startForegroundService":
            case "stopService":
            case "bindService":
            case "sendBroadcast":
            case "sendOrderedBroadcast":
                return true;
            default:
                return false;
        }
    }

    /** Returns whether a component removes the token before its code can see the intent. */
    static boolean removesTokens(String component, Context sender, int receiver) {
        Class<?> type = typeOf(component, sender);
        if (type == null) {
            return false;
        }
        Callback[][] callbacks = AndroidTables.BY_RECEIVER[receiver];
        boolean receives = false;
        boolean hidden = false;
        for (Callback each : callbacks[0]) {
            receives |= each.isOverridden(type);
            hidden |= each.isHidden(type);
        }
        for (Callback each : callbacks[1]) {
            hidden |= each.isHidden(type);
        }
        return receives && !hidden;
    }

    private static Class<?> typeOf(String name, Context sender) {
        Class<?> known = IntentTables.get().types.get(name);
        if (known == null) {
            known = load(name, sender == null ? null : sender.getClass().getClassLoader());
            known = known == null ? load(name, Components.class.getClassLoader()) : known;
            if (known != null) {
                IntentTables.get().types.put(name, known);
            }
        }
        return known;
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return loader == null ? null : Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
