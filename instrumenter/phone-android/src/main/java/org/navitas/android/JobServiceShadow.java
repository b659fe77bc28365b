package org.navitas.android;

import android.app.job.JobParameters;
import android.os.Handler;
import android.os.Looper;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Ends a job that has finished. */
@Implements(className = "android.app.job.JobService")
public class JobServiceShadow extends ServiceShadow {
    @Implementation
    protected void jobFinished(JobParameters parameters, boolean wantsReschedule) {
        new Handler(Looper.getMainLooper()).post(() -> JobRuns.end(parameters.getJobId(), wantsReschedule));
    }
}
