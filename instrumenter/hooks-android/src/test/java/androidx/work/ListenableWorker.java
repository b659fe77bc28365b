package androidx.work;

import java.util.UUID;

/** As in androidx. */
public class ListenableWorker {
    private final UUID id;

    public ListenableWorker(UUID id) {
        this.id = id;
    }

    public final UUID getId() {
        return id;
    }
}
