package androidx.work;

/** As in androidx. */
public class WorkManager {
    public Operation enqueueUniquePeriodicWork(
            String name, ExistingPeriodicWorkPolicy policy, PeriodicWorkRequest request) {
        return null;
    }

    public WorkContinuation beginWith(OneTimeWorkRequest request) {
        return new WorkContinuation();
    }

    public WorkContinuation beginWith(java.util.List<OneTimeWorkRequest> requests) {
        return new WorkContinuation();
    }

    public WorkContinuation beginUniqueWork(String name, ExistingWorkPolicy policy, OneTimeWorkRequest request) {
        return new WorkContinuation();
    }

    public WorkContinuation beginUniqueWork(
            String name, ExistingWorkPolicy policy, java.util.List<OneTimeWorkRequest> requests) {
        return new WorkContinuation();
    }

    public Operation cancelWorkById(java.util.UUID id) {
        return null;
    }

    public Operation cancelUniqueWork(String name) {
        return null;
    }
}
