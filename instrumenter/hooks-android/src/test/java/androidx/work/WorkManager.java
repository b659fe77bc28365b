package androidx.work;

/** As in androidx. */
public class WorkManager {
    public Operation enqueueUniquePeriodicWork(String name, ExistingPeriodicWorkPolicy policy, PeriodicWorkRequest request) {
        return null;
    }
}
