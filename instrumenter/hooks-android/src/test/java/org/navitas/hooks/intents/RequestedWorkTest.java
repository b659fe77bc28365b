package org.navitas.hooks.intents;

import static org.junit.Assert.assertEquals;
import static org.robolectric.Shadows.shadowOf;

import android.content.ComponentName;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;
import org.navitas.hooks.intents.Communications.Record;
import org.navitas.hooks.work.Chains;
import org.navitas.hooks.work.Jobs;
import org.navitas.hooks.work.Workers;
import org.navitas.hooks.work.Works;

/** Tokens of jobs and of work. */
public class RequestedWorkTest extends ModulesOfTestedApp {
    private android.app.job.JobInfo job(int id) {
        return new android.app.job.JobInfo.Builder(id, new ComponentName(app, "a.Job"))
                .setOverrideDeadline(1)
                .build();
    }

    @Test
    public void cancelledJobsHaveTheTokenOfTheirRequest() throws Exception {
        android.app.job.JobScheduler jobs = app.getSystemService(android.app.job.JobScheduler.class);
        for (int id = 1; id <= 3; id++) {
            Jobs.schedule(jobs, job(id));
        }
        Jobs.cancel(jobs, 2);
        Jobs.cancelAll(jobs);
        Jobs.cancel(jobs, 9);
        assertEquals(Collections.emptyList(), jobs.getAllPendingJobs());
        List<Record> records = Communications.next();
        List<Record> set = Communications.of(records, 13);
        List<Record> cancelled = Communications.of(records, 19);
        assertEquals("[19 >a.Job 2, 19 >a.Job 1, 19 >a.Job 3, 19 > 9]", cancelled.toString());
        assertEquals(set.get(1).token, cancelled.get(0).token);
        assertEquals(set.get(0).token, cancelled.get(1).token);
        assertEquals(0, cancelled.get(3).token);
    }

    @Test
    public void refusedJobIsNotRecordedAndTheFormerOneStays() throws Exception {
        android.app.job.JobScheduler jobs = app.getSystemService(android.app.job.JobScheduler.class);
        Jobs.schedule(jobs, job(5));
        long token = Communications.only(Communications.next(), 13).token;
        shadowOf(jobs).failOnJob(5);
        assertEquals(android.app.job.JobScheduler.RESULT_FAILURE, Jobs.schedule(jobs, job(5)));
        assertEquals(Collections.emptyList(), Communications.next());
        Jobs.cancel(jobs, 5);
        assertEquals(token, Communications.only(Communications.next(), 19).token);
    }

    @Test
    public void jobsDoNotGrowWithoutBound() throws Exception {
        android.app.job.JobScheduler jobs = app.getSystemService(android.app.job.JobScheduler.class);
        for (int id = 0; id < 5000; id++) {
            Jobs.schedule(jobs, job(id));
        }
        Jobs.cancelAll(jobs);
        assertEquals(4096, Communications.of(Communications.next(), 19).size());
    }

    @Test
    public void workHasTheTokenOfItsRequest() throws Exception {
        androidx.work.PeriodicWorkRequest request = new androidx.work.PeriodicWorkRequest();
        request.spec.workerClassName = "a.SyncWorker";
        request.spec.intervalDuration = 900_000;
        Works.enqueueUniquePeriodicWork(new androidx.work.WorkManager(), "sync", null, request);
        androidx.work.ListenableWorker worker = new androidx.work.ListenableWorker(request.getId());
        Workers.doWork(worker, worker.getClass());
        Workers.doWork(worker, worker.getClass());
        Workers.doWork(this, getClass());
        List<Record> records = Communications.next();
        Record send = Communications.only(records, 14);
        assertEquals("14 >a.SyncWorker sync f2 p900000", send.toString());
        assertEquals(send.token, Communications.only(records, 38).token);
        Works.cancelWorkById(new androidx.work.WorkManager(), request.getId());
        Works.cancelUniqueWork(new androidx.work.WorkManager(), "sync");
        List<Record> cancelled = Communications.of(Communications.next(), 20);
        assertEquals("[20 > , 20 > sync]", cancelled.toString());
        assertEquals(send.token, cancelled.get(0).token);
    }

    private static androidx.work.OneTimeWorkRequest work(String name) {
        androidx.work.OneTimeWorkRequest request = new androidx.work.OneTimeWorkRequest();
        request.spec.workerClassName = name;
        return request;
    }

    @Test
    public void workOfAChainIsRecordedOnceWhenTheChainIsEnqueued() throws Exception {
        androidx.work.WorkManager manager = new androidx.work.WorkManager();
        androidx.work.OneTimeWorkRequest last = work("w.Last");
        androidx.work.WorkContinuation one = Chains.beginWith(manager, work("w.One"));
        androidx.work.WorkContinuation two =
                Chains.beginUniqueWork(manager, "two", null, Arrays.asList(work("w.Two"), work("w.Three")));
        androidx.work.WorkContinuation both = Chains.then(Chains.combine(Arrays.asList(two, one)), last);
        assertEquals(Collections.emptyList(), Communications.next());
        Chains.enqueue(one);
        assertEquals("[14 >w.One ]", Communications.next().toString());
        Chains.enqueue(both);
        Chains.enqueue(both);
        List<Record> records = Communications.next();
        assertEquals("[14 >w.Two two, 14 >w.Three two, 14 >w.Last two]", records.toString());
        assertEquals(Tokens.of(last.getId()), records.get(2).token);
        Chains.enqueue(new androidx.work.WorkContinuation());
        Chains.enqueue(Chains.then(Chains.beginWith(manager, Arrays.asList(work("w.A"))), Arrays.asList(work("w.B"))));
        Chains.enqueue(Chains.beginUniqueWork(manager, "c", null, work("w.C")));
        assertEquals("[14 >w.A , 14 >w.B , 14 >w.C c]", Communications.next().toString());
    }
}
