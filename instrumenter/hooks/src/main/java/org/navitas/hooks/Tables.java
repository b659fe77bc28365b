package org.navitas.hooks;

import android.app.PendingIntent;
import android.content.Intent;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.navitas.runtime.Hook;

/**
 * What hooks remember in a process. They have no static tables of their own: an error in a class's initializer would make
 * each later call of the class throw in the app. The runtime makes these tables when it starts. If it cannot, it records
 * nothing, and each hook gets empty tables, with which it does what the API does.
 */
final class Tables {
    private static final int MOST_JOBS = 4096;
    private static final int MOST_FILTERS = 256;

    /** What plays: a player's check of its end, or of a track nothing. */
    final WeakTable<Object> playing = new WeakTable<>();
    final Started bluetoothLinks = new Started();
    final Started bluetoothScans = new Started();
    final StartedIntents bluetoothScanIntents = new StartedIntents();
    final WeakTable<Timeout> discoveries = new WeakTable<>();
    /** The handles of the open cameras. */
    final WeakTable<Long> cameras = new WeakTable<>();
    final Started locationListeners = new Started();
    final StartedIntents locationIntents = new StartedIntents();
    final WeakTable<WeakReference<SingleUpdate>> singleUpdates = new WeakTable<>();
    final Started sensorListeners = new Started();
    final WeakTable<Timeout> wakeLocks = new WeakTable<>();
    final Started wifiLocks = new Started();
    /** Whether connected channels stay on the device. Their address needs a lock, and one kind of them has none. */
    final WeakTable<Boolean> channels = new WeakTable<>();
    final WeakTable<WeakReference<Posted>> posted = new WeakTable<>();
    /** Workers that have begun. A worker works once; a coroutine's later segments are no work of their own. */
    final Started workers = new Started();
    final WeakTable<Chains> chains = new WeakTable<>();
    /** The last request of each id: a request replaces the job with its id, of any class. */
    final LatestUsed<Integer, Jobs> jobs = new LatestUsed<>(MOST_JOBS);
    /** Actions for which the app has registered a receiver that would see a token. */
    final Set<String> hiddenActions = Collections.synchronizedSet(new HashSet<String>());
    /** The token of the last send of an intent within the process. */
    final WeakTable<Long> localIntents = new WeakTable<>();
    /** What is known of an object that the app has. */
    final Map<PendingIntent, PendingIntents> pendingIntents = new WeakHashMap<>();
    final ThreadLocal<ProviderCall> providerCall = new ThreadLocal<>();
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

    Tables() {
        for (int receiver = 0; receiver < Components.RECEIVERS; receiver++) {
            resolved.add(new LatestUsed<Intent.FilterComparison, Boolean>(MOST_FILTERS));
        }
    }

    static Tables get() {
        return Hook.isStarted() ? Made.TABLES : new Tables();
    }

    /** The tables of the process, as a constant. The runtime initializes this class by its name. */
    static final class Made {
        static final Tables TABLES = new Tables();

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
