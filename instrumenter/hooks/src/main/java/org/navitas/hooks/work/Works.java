package org.navitas.hooks.work;

import androidx.work.ExistingPeriodicWorkPolicy;
import androidx.work.ExistingWorkPolicy;
import androidx.work.OneTimeWorkRequest;
import androidx.work.Operation;
import androidx.work.PeriodicWorkRequest;
import androidx.work.WorkManager;
import androidx.work.WorkRequest;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.navitas.hooks.base.Kind;
import org.navitas.hooks.intents.Tokens;
import org.navitas.runtime.Hook;

/** Hooks of the work manager. The token is made of the request's id, which its worker has, too. */
public final class Works {
    private Works() {}

    /** Hook of {@link WorkManager#enqueue(WorkRequest)}. */
    public static Operation enqueue(WorkManager manager, WorkRequest request) {
        long start = Hook.now();
        Operation result = manager.enqueue(request);
        enqueued(start, "", Collections.singletonList(request));
        return result;
    }

    /** Hook of {@link WorkManager#enqueue(List)}. */
    public static Operation enqueue(WorkManager manager, List<? extends WorkRequest> requests) {
        long start = Hook.now();
        Operation result = manager.enqueue(requests);
        enqueued(start, "", requests);
        return result;
    }

    /** Hook of {@link WorkManager#enqueueUniqueWork(String, ExistingWorkPolicy, OneTimeWorkRequest)}. */
    public static Operation enqueueUniqueWork(
            WorkManager manager, String name, ExistingWorkPolicy policy, OneTimeWorkRequest request) {
        long start = Hook.now();
        Operation result = manager.enqueueUniqueWork(name, policy, request);
        enqueued(start, name, Collections.singletonList(request));
        return result;
    }

    /** Hook of {@link WorkManager#enqueueUniqueWork(String, ExistingWorkPolicy, List)}. */
    public static Operation enqueueUniqueWork(
            WorkManager manager, String name, ExistingWorkPolicy policy, List<OneTimeWorkRequest> requests) {
        long start = Hook.now();
        Operation result = manager.enqueueUniqueWork(name, policy, requests);
        enqueued(start, name, requests);
        return result;
    }

    /** Hook of {@link WorkManager#enqueueUniquePeriodicWork}. */
    public static Operation enqueueUniquePeriodicWork(
            WorkManager manager, String name, ExistingPeriodicWorkPolicy policy, PeriodicWorkRequest request) {
        long start = Hook.now();
        Operation result = manager.enqueueUniquePeriodicWork(name, policy, request);
        enqueued(start, name, Collections.singletonList(request));
        return result;
    }

    /** Hook of {@link WorkManager#cancelWorkById}. */
    public static Operation cancelWorkById(WorkManager manager, UUID id) {
        long start = Hook.now();
        Operation result = manager.cancelWorkById(id);
        cancelled(start, id == null ? 0 : Tokens.of(id), "");
        return result;
    }

    /** Hook of {@link WorkManager#cancelUniqueWork}. */
    public static Operation cancelUniqueWork(WorkManager manager, String name) {
        long start = Hook.now();
        Operation result = manager.cancelUniqueWork(name);
        cancelled(start, 0, name);
        return result;
    }

    private static void cancelled(long start, long token, String name) {
        if (start != 0) {
            Hook.communication(start, token, Kind.CANCEL_WORK, 0, "", "", name == null ? "" : name);
        }
    }

    static void enqueued(long start, String name, List<? extends WorkRequest> requests) {
        if (start == 0) {
            return;
        }
        try {
            for (WorkRequest request : requests) {
                long periodMs = request.getWorkSpec().intervalDuration;
                int flags = periodMs > 0 ? Kind.PERIODIC : 0;
                Hook.communication(
                        start,
                        Tokens.of(request.getId()),
                        flags << 16 | Kind.ENQUEUE_WORK,
                        periodMs,
                        "",
                        request.getWorkSpec().workerClassName,
                        name == null ? "" : name);
            }
        } catch (LinkageError e) { // a version of the library without these members: nothing is recorded
            return;
        }
    }
}
