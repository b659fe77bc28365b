package org.navitas.android;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobService;
import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.IBinder;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs the app's jobs, by the rules of AOSP's JobSchedulerService. Constraints other than times count as met: a job runs
 * after its minimum latency, a periodic one at the beginning of each period.
 */
final class JobRuns {
    private static final Map<Integer, Run> RUNNING = new HashMap<>();
    private static final long LONGEST_WAIT_MS = 30_000;
    private static final long LONGEST_BACKOFF_MS = 5 * 60 * 60 * 1000L;

    private JobRuns() {}

    /** A job that has started and not finished. */
    private static final class Run implements ServiceConnection {
        final JobInfo job;
        final int failures;

        Run(JobInfo job, int failures) {
            this.job = job;
            this.failures = failures;
        }

        @Override
        public void onServiceConnected(ComponentName name, IBinder service) {}

        @Override
        public void onServiceDisconnected(ComponentName name) {}
    }

    static void schedule(JobInfo job) {
        set(job, AlarmClock.nowMs() + (job.isPeriodic() ? 0 : job.getMinLatencyMillis()), 0);
    }

    static void cancel(int id) {
        AlarmClock.cancel(key(id));
    }

    /** Starts a job, unless it is running. For the main thread only. */
    static void start(JobInfo job, int failures) {
        Run run = new Run(job, failures);
        synchronized (RUNNING) {
            if (RUNNING.putIfAbsent(job.getId(), run) != null) {
                return;
            }
        }
        JobService service = (JobService) Services.hold(job.getService(), run);
        service.onBind(new Intent().setComponent(job.getService()));
        JobParameters parameters = new JobParameters(
                null, job.getId(), job.getExtras(), job.getTransientExtras(), null, 0, false, false, null, null, null);
        if (!service.onStartJob(parameters)) {
            end(job.getId(), false);
        }
    }

    /** Ends a job, and sets it again after a backoff if it asks for it. For the main thread only. */
    static void end(int id, boolean wantsReschedule) {
        Run run;
        synchronized (RUNNING) {
            run = RUNNING.remove(id);
            RUNNING.notifyAll();
        }
        if (run == null) {
            return;
        }
        Services.release(run.job.getService(), run);
        if (wantsReschedule) {
            int failures = run.failures + 1;
            set(run.job, AlarmClock.nowMs() + backoffMs(run.job, failures), failures);
        } else if (!run.job.isPeriodic()) {
            JobSchedulerShadow.done(run.job);
        }
    }

    /** Waits until no job is running, for a limited time. Not for the main thread. */
    static void await() {
        long endNs = System.nanoTime() + LONGEST_WAIT_MS * 1_000_000;
        synchronized (RUNNING) {
            for (long leftMs = LONGEST_WAIT_MS;
                    !RUNNING.isEmpty() && leftMs > 0;
                    leftMs = (endNs - System.nanoTime()) / 1_000_000) {
                try {
                    RUNNING.wait(leftMs);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private static long backoffMs(JobInfo job, int failures) {
        long first = job.getInitialBackoffMillis();
        boolean isLinear = job.getBackoffPolicy() == JobInfo.BACKOFF_POLICY_LINEAR;
        return Math.min(
                LONGEST_BACKOFF_MS, isLinear ? first * failures : Math.round(first * Math.pow(2, failures - 1)));
    }

    private static void set(JobInfo job, long dueMs, int failures) {
        AlarmClock.setAt(key(job.getId()), dueMs, () -> {
            if (job.isPeriodic()) {
                set(job, dueMs + job.getIntervalMillis(), 0);
            }
            start(job, failures);
        });
    }

    private static String key(int id) {
        return "job " + id;
    }
}
