package org.navitas.hooks.intents;

import android.app.Service;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/** What services call when they end. Classes of programs without Android can have a method of this name. */
public final class Destroyed {
    private Destroyed() {}

    /** Called at the start of {@link Service#onDestroy}. */
    public static void onDestroy(Object self, Class<?> in) {
        if (Hook.records() && isService(self) && AndroidTables.DESTROY.isFirst(self, in)) {
            Hook.communication(
                    Hook.now(), 0, Kind.SERVICE_DESTROYED, 0, self.getClass().getName(), "", "");
        }
    }

    private static boolean isService(Object self) {
        try {
            return self instanceof Service;
        } catch (LinkageError e) { // no Android
            return false;
        }
    }
}
