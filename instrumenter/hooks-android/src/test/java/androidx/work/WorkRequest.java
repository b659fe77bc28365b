package androidx.work;

import androidx.work.impl.model.WorkSpec;
import java.util.UUID;

/** As in androidx. */
public class WorkRequest {
    public final WorkSpec spec = new WorkSpec();
    private final UUID id = UUID.randomUUID();

    public UUID getId() {
        return id;
    }

    public WorkSpec getWorkSpec() {
        return spec;
    }
}
