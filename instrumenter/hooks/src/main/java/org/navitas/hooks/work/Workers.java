package org.navitas.hooks.work;

import androidx.work.ListenableWorker;
import kotlin.coroutines.Continuation;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.intents.Tokens;
import org.navitas.runtime.Hook;

/** What workers call at the start of their work. Classes of an app without the library can have methods of these names. */
public final class Workers {

    private Workers() {}

    /** Called at the start of {@code Worker.doWork}. */
    public static void doWork(Object self, Class<?> in) {
        begun(self);
    }

    /** Called at the start of {@code CoroutineWorker.doWork}. */
    public static void doWork(Object self, Continuation<?> continuation, Class<?> in) {
        begun(self);
    }

    /** Called at the start of {@code ListenableWorker.startWork}. */
    public static void startWork(Object self, Class<?> in) {
        begun(self);
    }

    private static void begun(Object self) {
        try {
            if (Hook.records()
                    && self instanceof ListenableWorker
                    && !WorkTables.get().workers.contains(self)) {
                WorkTables.get().workers.add(self);
                Hook.communication(
                        Hook.now(),
                        Tokens.of(((ListenableWorker) self).getId()),
                        Kind.WORK,
                        0,
                        self.getClass().getName(),
                        "",
                        "");
            }
        } catch (LinkageError e) { // no worker: the app lacks the library
            return;
        }
    }
}
