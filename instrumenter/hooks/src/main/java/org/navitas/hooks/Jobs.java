package org.navitas.hooks;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
            synchronized (Tables.get().jobs) {
                request = Tables.get().jobs.remove(id);
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
            synchronized (Tables.get().jobs) {
                all = new ArrayList<>(Tables.get().jobs.entrySet());
                Tables.get().jobs.clear();
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
            synchronized (Tables.get().jobs) {
                request = Tables.get().jobs.get(id);
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
        synchronized (Tables.get().jobs) {
            request.former = Tables.get().jobs.put(job.getId(), request);
        }
        return request;
    }

    /** Records a request. If the system has refused it, the former job with its id stays. */
    static void scheduled(int result, long start, Jobs request, JobInfo job) {
        if (request == null) {
            return;
        }
        boolean isRefused = result != JobScheduler.RESULT_SUCCESS;
        synchronized (Tables.get().jobs) {
            if (isRefused && Tables.get().jobs.get(job.getId()) == request) {
                Tables.get().jobs.remove(job.getId());
                if (request.former != null) {
                    Tables.get().jobs.put(job.getId(), request.former);
                }
            }
            request.former = null;
        }
        if (!isRefused) {
            boolean periodic = job.isPeriodic();
            int flags = periodic ? Kind.PERIODIC : 0;
            Hook.communication(start, request.token, flags << 16 | Kind.SCHEDULE_JOB,
                    periodic ? job.getIntervalMillis() : 0, "", request.target, String.valueOf(job.getId()));
        }
    }

    private static void cancelled(long start, int id, Jobs request) {
        Hook.communication(start, request == null ? 0 : request.token, Kind.CANCEL_JOB, 0, "",
                request == null ? "" : request.target, String.valueOf(id));
    }
}
