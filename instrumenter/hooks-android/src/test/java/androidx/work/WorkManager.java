package androidx.work;

/** As in androidx. */
public class WorkManager {
    public Operation enqueueUniquePeriodicWork(String name, ExistingPeriodicWorkPolicy policy, PeriodicWorkRequest request) {
        return null;
    }

    public Operation cancelWorkById(java.util.UUID id) {
        return null;
    }

    public Operation cancelUniqueWork(String name) {
        return null;
    }
}
