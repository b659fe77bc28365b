package org.navitas.hooks.work;

import androidx.work.ExistingWorkPolicy;
import androidx.work.OneTimeWorkRequest;
import androidx.work.Operation;
import androidx.work.WorkContinuation;
import androidx.work.WorkManager;
import androidx.work.WorkRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.navitas.runtime.Hook;

/** Hooks of chains of work. A chain's requests are recorded when it is enqueued, each once. */
public final class Chains {

    private final String name;
    private final List<WorkRequest> requests;
    private final List<Chains> parents;
    /** Guarded by the table of chains. */
    private boolean isEnqueued;

    private Chains(String name, List<? extends WorkRequest> requests, List<Chains> parents) {
        this.name = name;
        this.requests = new ArrayList<>(requests);
        this.parents = parents;
    }

    /** Hook of {@link WorkManager#beginWith(OneTimeWorkRequest)}. */
    public static WorkContinuation beginWith(WorkManager manager, OneTimeWorkRequest request) {
        return begun(manager.beginWith(request), "", Collections.singletonList(request));
    }

    /** Hook of {@link WorkManager#beginWith(List)}. */
    public static WorkContinuation beginWith(WorkManager manager, List<OneTimeWorkRequest> requests) {
        return begun(manager.beginWith(requests), "", requests);
    }

    /** Hook of {@link WorkManager#beginUniqueWork(String, ExistingWorkPolicy, OneTimeWorkRequest)}. */
    public static WorkContinuation beginUniqueWork(
            WorkManager manager, String name, ExistingWorkPolicy policy, OneTimeWorkRequest request) {
        return begun(manager.beginUniqueWork(name, policy, request), name, Collections.singletonList(request));
    }

    /** Hook of {@link WorkManager#beginUniqueWork(String, ExistingWorkPolicy, List)}. */
    public static WorkContinuation beginUniqueWork(
            WorkManager manager, String name, ExistingWorkPolicy policy, List<OneTimeWorkRequest> requests) {
        return begun(manager.beginUniqueWork(name, policy, requests), name, requests);
    }

    /** Hook of {@link WorkContinuation#then(OneTimeWorkRequest)}. */
    public static WorkContinuation then(WorkContinuation chain, OneTimeWorkRequest request) {
        return continued(chain.then(request), Collections.singletonList(chain), Collections.singletonList(request));
    }

    /** Hook of {@link WorkContinuation#then(List)}. */
    public static WorkContinuation then(WorkContinuation chain, List<OneTimeWorkRequest> requests) {
        return continued(chain.then(requests), Collections.singletonList(chain), requests);
    }

    /** Hook of {@link WorkContinuation#combine}. */
    public static WorkContinuation combine(List<WorkContinuation> chains) {
        return continued(WorkContinuation.combine(chains), chains, Collections.<WorkRequest>emptyList());
    }

    /** Hook of {@link WorkContinuation#enqueue}. */
    public static Operation enqueue(WorkContinuation chain) {
        long start = Hook.now();
        Operation result = chain.enqueue();
        if (start != 0) {
            for (Chains each : enqueued(WorkTables.get().chains.get(chain))) {
                Works.enqueued(start, each.name, each.requests);
            }
        }
        return result;
    }

    private static WorkContinuation begun(WorkContinuation chain, String name, List<? extends WorkRequest> requests) {
        if (Hook.records() && chain != null) {
            WorkTables.get().chains.put(chain, new Chains(name, requests, Collections.<Chains>emptyList()));
        }
        return chain;
    }

    private static WorkContinuation continued(
            WorkContinuation chain, List<WorkContinuation> before, List<? extends WorkRequest> requests) {
        if (Hook.records() && chain != null) {
            List<Chains> parents = new ArrayList<>();
            for (WorkContinuation each : before) {
                Chains known = WorkTables.get().chains.get(each);
                if (known != null) {
                    parents.add(known);
                }
            }
            WorkTables.get()
                    .chains
                    .put(chain, new Chains(parents.isEmpty() ? "" : parents.get(0).name, requests, parents));
        }
        return chain;
    }

    /** Returns what enqueueing a chain enqueues: what is before it, too, unless it was enqueued earlier. */
    private static List<Chains> enqueued(Chains last) {
        List<Chains> found = new ArrayList<>();
        Deque<Chains> open = new ArrayDeque<>();
        if (last != null) {
            open.add(last);
        }
        synchronized (WorkTables.get().chains) {
            while (!open.isEmpty()) {
                Chains each = open.remove();
                if (!each.isEnqueued) {
                    each.isEnqueued = true;
                    found.add(each);
                    open.addAll(each.parents);
                }
            }
        }
        Collections.reverse(found);
        return found;
    }
}
