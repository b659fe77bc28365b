package org.navitas.hooks.devices;

import android.app.PendingIntent;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.navitas.runtime.Hook;

/**
 * What hooked code has started and not stopped, by the intent that stops it: equal intents stop each other's requests.
 * Keeps the intents, since a later intent for the same target is equal, with the same hash code, only to one that is
 * still there.
 */
final class StartedIntents {
    private final Set<PendingIntent> intents = Collections.synchronizedSet(new HashSet<>());

    /** Notes a start. Without records, it does nothing. */
    void add(PendingIntent intent) {
        if (intent != null && Hook.now() != 0) {
            intents.add(intent);
        }
    }

    /** Ends a call that stops. Records the stop if an equal intent had been started. */
    void end(int api, int kind, long start, long done, PendingIntent intent) {
        if (done == Hook.FAILED || intents.remove(intent)) {
            Hook.end(api, start, kind, Hook.STOP, done, handleOf(intent));
        } else {
            Hook.leave(api);
        }
    }

    /** Returns the handle that records have for an intent. */
    static long handleOf(PendingIntent intent) {
        return intent == null ? 0 : intent.hashCode();
    }
}
