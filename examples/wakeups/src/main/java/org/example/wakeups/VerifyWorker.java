package org.example.wakeups;

import android.content.Context;
import androidx.annotation.NonNull;
import androidx.work.Worker;
import androidx.work.WorkerParameters;

/** Verifies a backup, once. */
public class VerifyWorker extends Worker {
    public VerifyWorker(@NonNull Context context, @NonNull WorkerParameters parameters) {
        super(context, parameters);
    }

    @NonNull
    @Override
    public Result doWork() {
        Work.primes(20_000);
        return Result.success();
    }
}
