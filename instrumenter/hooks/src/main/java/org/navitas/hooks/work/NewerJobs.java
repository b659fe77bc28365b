package org.navitas.hooks.work;

import android.app.job.JobInfo;
import android.app.job.JobScheduler;
import android.app.job.JobWorkItem;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of jobs of Android 8. */
@NewerPlatform
public final class NewerJobs {
    private NewerJobs() {}

    /** Hook of {@link JobScheduler#enqueue}. */
    public static int enqueue(JobScheduler scheduler, JobInfo job, JobWorkItem item) {
        long start = Hook.now();
        Jobs request = Jobs.requested(start, job);
        int result = JobScheduler.RESULT_FAILURE; // also if the call throws
        try {
            result = scheduler.enqueue(job, item);
        } finally {
            Jobs.scheduled(result, start, request, job);
        }
        return result;
    }
}
