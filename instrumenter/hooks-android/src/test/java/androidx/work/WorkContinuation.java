package androidx.work;

import java.util.List;

/** As in androidx. */
public class WorkContinuation {
    public static WorkContinuation combine(List<WorkContinuation> continuations) {
        return new WorkContinuation();
    }

    public WorkContinuation then(OneTimeWorkRequest request) {
        return new WorkContinuation();
    }

    public WorkContinuation then(List<OneTimeWorkRequest> requests) {
        return new WorkContinuation();
    }

    public Operation enqueue() {
        return null;
    }
}
