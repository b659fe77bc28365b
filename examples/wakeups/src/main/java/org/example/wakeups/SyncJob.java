package org.example.wakeups;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;

/** Synchronizes on its own thread, every quarter of an hour. */
public class SyncJob extends JobService {
    static final String SYNCED = "org.example.wakeups.SYNCED";
    private static final int ID = 1_000_000; // WorkManager numbers its jobs from 0
    private static final long PERIOD_MS = 15 * 60_000;

    static void schedule(Context context) {
        ComponentName service = new ComponentName(context, SyncJob.class);
        JobScheduler scheduler = context.getSystemService(JobScheduler.class);
        scheduler.schedule(new JobInfo.Builder(ID, service).setPeriodic(PERIOD_MS).build());
    }

    @Override
    public boolean onStartJob(JobParameters parameters) {
        new Thread(() -> synchronize(parameters), "sync").start();
        return true;
    }

    private void synchronize(JobParameters parameters) {
        Work.primes(40_000);
        sendBroadcast(new Intent(SYNCED).setPackage(getPackageName()));
        jobFinished(parameters, false);
    }

    @Override
    public boolean onStopJob(JobParameters parameters) {
        return true;
    }
}
