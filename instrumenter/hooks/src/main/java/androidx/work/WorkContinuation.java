package androidx.work;

import java.util.List;

/** A chain of requests for work. For the compiler only: the app has the class. */
public abstract class WorkContinuation {
    public static WorkContinuation combine(List<WorkContinuation> continuations) {
        throw new UnsupportedOperationException();
    }

    public abstract WorkContinuation then(OneTimeWorkRequest request);

    public abstract WorkContinuation then(List<OneTimeWorkRequest> requests);

    public abstract Operation enqueue();
}
