package org.example.wakeups;

import android.content.Context;
import androidx.annotation.NonNull;
import androidx.work.ExistingPeriodicWorkPolicy;
import androidx.work.OneTimeWorkRequest;
import androidx.work.PeriodicWorkRequest;
import androidx.work.WorkManager;
import androidx.work.Worker;
import androidx.work.WorkerParameters;
import java.util.concurrent.TimeUnit;

/** Backs up every quarter of an hour, and lets another worker verify each backup. */
public class BackupWorker extends Worker {
    private static final String NAME = "backup";

    public BackupWorker(@NonNull Context context, @NonNull WorkerParameters parameters) {
        super(context, parameters);
    }

    static void enqueue(Context context) {
        PeriodicWorkRequest request = new PeriodicWorkRequest.Builder(BackupWorker.class, 15, TimeUnit.MINUTES).build();
        WorkManager.getInstance(context).enqueueUniquePeriodicWork(NAME, ExistingPeriodicWorkPolicy.KEEP, request);
    }

    @NonNull
    @Override
    public Result doWork() {
        Work.primes(40_000);
        WorkManager.getInstance(getApplicationContext()).enqueue(OneTimeWorkRequest.from(VerifyWorker.class));
        return Result.success();
    }
}
