package org.navitas.hooks.work;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.intents.AndroidTables;
import org.navitas.hooks.intents.Tokens;
import org.navitas.runtime.Hook;

/** Hooks of jobs. A job has the token of the last request with its class and id in this process. */
public final class Jobs {
    private final long token;
    private final String target;
    /** The request that this one replaces, until the system has accepted this one. */
    private Jobs former;

    private Jobs(long token, String target) {
        this.token = token;
        this.target = target;
    }

    /** Hook of {@link JobScheduler#schedule}. */
    public static int schedule(JobScheduler scheduler, JobInfo job) {
        long start = Hook.now();
        Jobs request = requested(start, job);
        int result = JobScheduler.RESULT_FAILURE; // also if the call throws
        try {
            result = scheduler.schedule(job);
        } finally {
            scheduled(result, start, request, job);
        }
        return result;
    }

    /** Hook of {@link JobScheduler#cancel}. */
    public static void cancel(JobScheduler scheduler, int id) {
        long start = Hook.now();
        scheduler.cancel(id);
        if (start != 0) {
            Jobs request;
            synchronized (WorkTables.get().jobs) {
                request = WorkTables.get().jobs.remove(id);
            }
            cancelled(start, id, request);
        }
    }

    /** Hook of {@link JobScheduler#cancelAll}. Jobs of earlier processes have no record. */
    public static void cancelAll(JobScheduler scheduler) {
        long start = Hook.now();
        scheduler.cancelAll();
        if (start != 0) {
            List<Map.Entry<Integer, Jobs>> all;
            synchronized (WorkTables.get().jobs) {
                all = new ArrayList<>(WorkTables.get().jobs.entrySet());
                WorkTables.get().jobs.clear();
            }
            for (Map.Entry<Integer, Jobs> each : all) {
                cancelled(start, each.getKey(), each.getValue());
            }
        }
    }

    /** Called at the start of {@link JobService#onStartJob}. */
    public static void onStartJob(Object self, JobParameters parameters, Class<?> in) {
        if (Hook.records() && self instanceof JobService && AndroidTables.START_JOB.isFirst(self, in)) {
            String module = self.getClass().getName();
            int id = parameters == null ? 0 : parameters.getJobId();
            Jobs request;
            synchronized (WorkTables.get().jobs) {
                request = WorkTables.get().jobs.get(id);
            }
            long token = request != null && request.target.equals(module) ? request.token : 0;
            Hook.communication(Hook.now(), token, Kind.JOB, 0, module, "", String.valueOf(id));
        }
    }

    /** Prepares a request, before it is made: the job can start at once. Returns null if nothing is recorded. */
    static Jobs requested(long start, JobInfo job) {
        if (start == 0 || job == null) {
            return null;
        }
        Jobs request = new Jobs(Tokens.fresh(), job.getService().getClassName());
        synchronized (WorkTables.get().jobs) {
            request.former = WorkTables.get().jobs.put(job.getId(), request);
        }
        return request;
    }

    /** Records a request. If the system has refused it, the former job with its id stays. */
    static void scheduled(int result, long start, Jobs request, JobInfo job) {
        if (request == null) {
            return;
        }
        boolean isRefused = result != JobScheduler.RESULT_SUCCESS;
        synchronized (WorkTables.get().jobs) {
            if (isRefused && WorkTables.get().jobs.get(job.getId()) == request) {
                WorkTables.get().jobs.remove(job.getId());
                if (request.former != null) {
                    WorkTables.get().jobs.put(job.getId(), request.former);
                }
            }
            request.former = null;
        }
        if (!isRefused) {
            boolean periodic = job.isPeriodic();
            int flags = periodic ? Kind.PERIODIC : 0;
            Hook.communication(
                    start,
                    request.token,
                    flags << 16 | Kind.SCHEDULE_JOB,
                    periodic ? job.getIntervalMillis() : 0,
                    "",
                    request.target,
                    String.valueOf(job.getId()));
        }
    }

    private static void cancelled(long start, int id, Jobs request) {
        Hook.communication(
                start,
                request == null ? 0 : request.token,
                Kind.CANCEL_JOB,
                0,
                "",
                request == null ? "" : request.target,
                String.valueOf(id));
    }
}
