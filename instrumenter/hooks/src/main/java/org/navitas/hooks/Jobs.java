package org.navitas.hooks;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import java.util.HashMap;
import java.util.Map;
import org.navitas.runtime.Hook;

/** Hooks of jobs. A job has the token of the last request with its class and id in this process. */
public final class Jobs {
    private static final Callback START = new Callback("onStartJob", JobParameters.class);
    private static final Map<String, Long> TOKENS = new HashMap<>();

    private Jobs() {}

    /** Hook of {@link JobScheduler#schedule}. */
    public static int schedule(JobScheduler scheduler, JobInfo job) {
        long start = Hook.now();
        long token = token(start, job); // first: the job can start at once
        int result = scheduler.schedule(job);
        scheduled(start, token, job);
        return result;
    }

    /** Called at the start of {@link JobService#onStartJob}. */
    public static void onStartJob(Object self, JobParameters parameters, Class<?> in) {
        if (Hook.records() && self instanceof JobService && START.isFirst(self, in)) {
            String module = self.getClass().getName();
            int id = parameters == null ? 0 : parameters.getJobId();
            Long token;
            synchronized (TOKENS) {
                token = TOKENS.get(module + ' ' + id);
            }
            Hook.communication(Hook.now(), token == null ? 0 : token, Kind.JOB, 0, module, "", String.valueOf(id));
        }
    }

    static long token(long start, JobInfo job) {
        if (start == 0 || job == null) {
            return 0;
        }
        long token = Tokens.fresh();
        synchronized (TOKENS) {
            TOKENS.put(job.getService().getClassName() + ' ' + job.getId(), token);
        }
        return token;
    }

    static void scheduled(long start, long token, JobInfo job) {
        if (token != 0) {
            boolean periodic = job.isPeriodic();
            int flags = periodic ? Kind.PERIODIC : 0;
            Hook.communication(start, token, flags << 16 | Kind.SCHEDULE_JOB, periodic ? job.getIntervalMillis() : 0, "",
                    job.getService().getClassName(), String.valueOf(job.getId()));
        }
    }
}
