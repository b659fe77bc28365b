package org.navitas.phone.android;

import java.lang.reflect.InvocationTargetException;

/** Calls the app session, which the framework's class loader loads, from outside the framework. */
final class AppLoop {
    private AppLoop() {}

    /** Returns when the phone closes standard input. */
    static void run(ClassLoader inside) {
        try {
            Class.forName("org.navitas.android.AppSession", true, inside)
                    .getMethod("run")
                    .invoke(null);
        } catch (InvocationTargetException e) {
            Crash.end(Thread.currentThread(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
