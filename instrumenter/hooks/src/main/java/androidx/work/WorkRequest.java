package androidx.work;

import androidx.work.impl.model.WorkSpec;
import java.util.UUID;

/** A request for work. For the compiler only: the app has the class. */
public abstract class WorkRequest {
    public abstract UUID getId();

    public abstract WorkSpec getWorkSpec();
}
