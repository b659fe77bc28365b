package org.navitas.hooks.intents;

import android.app.PendingIntent;
import android.content.Intent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.navitas.hooks.base.LatestUsed;
import org.navitas.hooks.base.WeakTable;
import org.navitas.runtime.Hook;

/** What hooks of intents remember. See {@link org.navitas.hooks.Tables}. */
public final class IntentTables {
    private static final int MOST_FILTERS = 256;

    /** Actions for which the app has registered a receiver that would see a token. */
    final Set<String> hiddenActions = Collections.synchronizedSet(new HashSet<String>());
    /** The token of the last send of an intent within the process. */
    final WeakTable<Long> localIntents = new WeakTable<>();
    /** What is known of an object that the app has. */
    final Map<PendingIntent, PendingIntents> pendingIntents = new WeakHashMap<>();

    final WeakTable<Results> results = new WeakTable<>();
    /** The class of the bound service, by the connection that unbinds it. */
    final WeakTable<String> bound = new WeakTable<>();
    /** Whether classes override a method that sends. */
    final Map<Class<?>, Boolean> overriding = new ConcurrentHashMap<>();
    /** Classes of components by name. */
    final Map<String, Class<?>> types = new ConcurrentHashMap<>();
    /** Whether what an intent reaches removes tokens, by kind of receiver. */
    final List<LatestUsed<Intent.FilterComparison, Boolean>> resolved = new ArrayList<>();
    /** How many tokens there are, and where they begin. */
    final AtomicLong sends = new AtomicLong();

    final long seed = Hashes.mixed(System.nanoTime()) ^ Hashes.mixed(System.currentTimeMillis());

    IntentTables() {
        for (int receiver = 0; receiver < Components.RECEIVERS; receiver++) {
            resolved.add(new LatestUsed<Intent.FilterComparison, Boolean>(MOST_FILTERS));
        }
    }

    static IntentTables get() {
        return Hook.isStarted() ? Made.TABLES : new IntentTables();
    }

    /** The tables of the process, as a constant. */
    public static final class Made {
        public static final IntentTables TABLES = new IntentTables();

        static {
            try {
                Class.forName(AndroidTables.class.getName());
            } catch (ClassNotFoundException | NoClassDefFoundError e) {
                // No Android, and no hook that needs it.
            }
        }

        private Made() {}
    }
}
