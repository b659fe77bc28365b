package org.navitas.hooks.intents;

import android.app.Activity;
import android.content.Intent;
import java.util.HashMap;
import java.util.Map;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/**
 * Which start a result belongs to. The start's token is known to the activity that requested it, by its request code,
 * and to the one that answers, which received it. So no intent has to carry it back.
 */
final class Results {

    private long received;
    private final Map<Integer, Long> requested = new HashMap<>();

    private Results() {}

    private static Results of(Activity activity) {
        synchronized (IntentTables.get().results) {
            Results known = IntentTables.get().results.get(activity);
            if (known == null) {
                known = new Results();
                IntentTables.get().results.put(activity, known);
            }
            return known;
        }
    }

    /** Notes the token of the intent that started an activity. */
    static void started(Activity activity, long token) {
        if (token != 0) {
            Results known = of(activity);
            synchronized (known) {
                known.received = token;
            }
        }
    }

    /** Records a start; one that asks for a result has a token, whether the intent carries it or not. */
    static void requested(Activity activity, int requestCode, Sent sent) {
        if (requestCode < 0 || !Hook.records() || sent.intent == null) {
            sent.done(Kind.START_ACTIVITY);
            return;
        }
        if (sent.token == 0) {
            sent.token = Tokens.fresh();
        }
        Results known = of(activity);
        synchronized (known) {
            known.requested.put(requestCode, sent.token);
        }
        sent.done(Kind.START_ACTIVITY_FOR_RESULT);
    }

    /** Records the result that an activity leaves. */
    static void set(Activity activity, Intent data) {
        if (Hook.records()) {
            Results known = IntentTables.get().results.get(activity);
            long token = 0;
            if (known != null) {
                synchronized (known) {
                    token = known.received;
                }
            }
            Hook.communication(
                    Hook.now(), token, Kind.SET_RESULT, 0, activity.getClass().getName(), "", Sent.actionOf(data));
        }
    }

    /** Returns the token of the start whose result an activity gets; 0 if it is unknown. */
    static long answered(Activity activity, int requestCode) {
        Results known = IntentTables.get().results.get(activity);
        if (known == null) {
            return 0;
        }
        synchronized (known) {
            Long token = known.requested.remove(requestCode);
            return token == null ? 0 : token;
        }
    }
}
