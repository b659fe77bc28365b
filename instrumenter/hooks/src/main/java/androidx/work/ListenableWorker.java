package androidx.work;

import java.util.UUID;

/** Does work. For the compiler only: the app has the class. */
public abstract class ListenableWorker {
    public final UUID getId() {
        return null;
    }
}
