package org.navitas.hooks;

import android.app.Activity;
import android.app.Service;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.os.Bundle;
import android.os.PersistableBundle;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What is known of the app's components and contexts at run time. */
final class Components {
    static final Callback CREATE = new Callback("onCreate", Bundle.class);
    static final Callback CREATE_PERSISTABLE = new Callback("onCreate", Bundle.class, PersistableBundle.class);
    static final Callback NEW_INTENT = new Callback("onNewIntent", Intent.class);
    static final Callback RESULT = new Callback("onActivityResult", int.class, int.class, Intent.class);
    static final Callback START_COMMAND = new Callback("onStartCommand", Intent.class, int.class, int.class);
    static final Callback START = new Callback("onStart", Intent.class, int.class);
    static final Callback HANDLE = new Callback("onHandleIntent", Intent.class);
    static final Callback BIND = new Callback("onBind", Intent.class);
    static final Callback UNBIND = new Callback("onUnbind", Intent.class);
    static final Callback REBIND = new Callback("onRebind", Intent.class);
    static final Callback TASK_REMOVED = new Callback("onTaskRemoved", Intent.class);
    static final Callback RECEIVE = new Callback("onReceive", Context.class, Intent.class);

    /** The callbacks of which a receiver needs one, and those in which it can see the intent, by who receives it. */
    static final Callback[][] ACTIVITY = {{CREATE, CREATE_PERSISTABLE}, {NEW_INTENT}};
    static final Callback[][] SERVICE = {{START_COMMAND, START, HANDLE}, {}};
    static final Callback[][] BINDING = {{BIND}, {UNBIND, REBIND}};
    static final Callback[][] RECEIVER = {{RECEIVE}, {}};

    private static final int MOST_WRAPPERS = 16;
    private static final Set<String> SENDS = new HashSet<>(Arrays.asList(
            "startActivity", "startActivities", "startActivityForResult", "startActivityIfNeeded", "startActivityFromFragment",
            "startService", "startForegroundService", "stopService", "bindService", "sendBroadcast", "sendOrderedBroadcast"));
    private static final Map<Class<?>, Boolean> OVERRIDING = new ConcurrentHashMap<>();

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
        Boolean known = OVERRIDING.get(type);
        if (known == null) {
            known = false;
            for (Class<?> each = type; each != null && !known && !isPlatform(each.getName()); each = each.getSuperclass()) {
                known = declaresSend(each);
            }
            OVERRIDING.put(type, known);
        }
        return known;
    }

    private static boolean isPlatform(String name) {
        return name.startsWith("android.") || name.startsWith("androidx.");
    }

    private static boolean declaresSend(Class<?> type) {
        try {
            for (Method method : type.getDeclaredMethods()) {
                if (SENDS.contains(method.getName())) {
                    return true;
                }
            }
            return false;
        } catch (LinkageError e) { // a signature names a class that this phone lacks
            return true;
        }
    }

    /** Returns whether a component removes the token before its code can see the intent. */
    static boolean removesTokens(String component, Context sender, Callback[][] callbacks) {
        Class<?> type = typeOf(component, sender);
        if (type == null) {
            return false;
        }
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

    private static final Map<String, Class<?>> TYPES = new ConcurrentHashMap<>();

    private static Class<?> typeOf(String name, Context sender) {
        Class<?> known = TYPES.get(name);
        if (known == null) {
            known = load(name, sender == null ? null : sender.getClass().getClassLoader());
            known = known == null ? load(name, Components.class.getClassLoader()) : known;
            if (known != null) {
                TYPES.put(name, known);
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
