package androidx.work;

import java.util.List;
import java.util.UUID;

/** Enqueues requests for work. For the compiler only: the app has the class. */
public abstract class WorkManager {
    public abstract Operation enqueue(WorkRequest request);

    public abstract Operation enqueue(List<? extends WorkRequest> requests);

    public abstract Operation enqueueUniqueWork(String name, ExistingWorkPolicy policy, OneTimeWorkRequest request);

    public abstract Operation enqueueUniqueWork(
            String name, ExistingWorkPolicy policy, List<OneTimeWorkRequest> requests);

    public abstract Operation enqueueUniquePeriodicWork(
            String name, ExistingPeriodicWorkPolicy policy, PeriodicWorkRequest request);

    public abstract WorkContinuation beginWith(OneTimeWorkRequest request);

    public abstract WorkContinuation beginWith(List<OneTimeWorkRequest> requests);

    public abstract WorkContinuation beginUniqueWork(
            String name, ExistingWorkPolicy policy, OneTimeWorkRequest request);

    public abstract WorkContinuation beginUniqueWork(
            String name, ExistingWorkPolicy policy, List<OneTimeWorkRequest> requests);

    public abstract Operation cancelWorkById(UUID id);

    public abstract Operation cancelUniqueWork(String name);
}
