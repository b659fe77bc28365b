package org.navitas.android;

import android.app.job.JobInfo;
import android.app.job.JobScheduler;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageManager;
import java.util.concurrent.CompletableFuture;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowJobScheduler.ShadowJobSchedulerImpl;

/** Jobs run; Robolectric only records them. */
@Implements(className = "android.app.JobSchedulerImpl", isInAndroidSdk = false)
public class JobSchedulerShadow extends ShadowJobSchedulerImpl {
    @Implementation
    @Override
    public int schedule(JobInfo job) {
        PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
        if (packages.resolveService(new Intent().setComponent(job.getService()), 0) == null) {
            throw new IllegalArgumentException("No such service " + job.getService());
        }
        int result = super.schedule(job);
        if (result == JobScheduler.RESULT_SUCCESS) {
            JobRuns.schedule(job);
        }
        return result;
    }

    @Implementation
    @Override
    public void cancel(int id) {
        super.cancel(id);
        JobRuns.cancel(id);
    }

    @Implementation
    @Override
    public void cancelAll() {
        for (JobInfo job : getAllPendingJobs()) {
            JobRuns.cancel(job.getId());
        }
        super.cancelAll();
    }

    /** Removes a job that has ended, unless it has been scheduled again. */
    static void done(JobInfo job) {
        JobSchedulerShadow shadow = get();
        if (shadow.getPendingJob(job.getId()) == job) {
            shadow.cancel(job.getId());
        }
    }

    /** Runs a job now, as {@code cmd jobscheduler run}; returns whether there is one with this id. */
    static boolean run(int id) {
        CompletableFuture<Boolean> found = new CompletableFuture<>();
        PhoneInstrumentation.get().runOnMainSync(() -> {
            JobInfo job = get().getPendingJob(id);
            found.complete(job != null);
            if (job != null) {
                JobRuns.start(job, 0);
            }
        });
        return found.join();
    }

    private static JobSchedulerShadow get() {
        return Shadow.extract(RuntimeEnvironment.getApplication().getSystemService(Context.JOB_SCHEDULER_SERVICE));
    }
}
