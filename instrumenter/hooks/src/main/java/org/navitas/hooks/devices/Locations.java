package org.navitas.hooks.devices;

import android.app.PendingIntent;
import android.location.Criteria;
import android.location.LocationListener;
import android.location.LocationManager;
import android.os.Looper;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/**
 * Hooks of locations: GNSS is used from a request to its removal, or to the only location that a listener asks for.
 * Android sends the only location of an intent to where no hook sees it, so that request lasts until its removal.
 */
@SuppressWarnings("deprecation")
public final class Locations {
    private static final String FUSED = "fused";

    private Locations() {}

    /** Hook of {@link LocationManager#requestLocationUpdates(String, long, float, LocationListener)}. */
    public static void requestLocationUpdates(LocationManager manager, String provider, long intervalMs, float meters,
            LocationListener listener) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(provider, intervalMs, meters, listener);
            done = 0;
        } finally {
            started(start, done, uses(provider), listener);
        }
    }

    /** Hook of {@link LocationManager#requestLocationUpdates(String, long, float, LocationListener, Looper)}. */
    public static void requestLocationUpdates(LocationManager manager, String provider, long intervalMs, float meters,
            LocationListener listener, Looper looper) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(provider, intervalMs, meters, listener, looper);
            done = 0;
        } finally {
            started(start, done, uses(provider), listener);
        }
    }

    /** Hook of {@link LocationManager#requestLocationUpdates(long, float, Criteria, LocationListener, Looper)}. */
    public static void requestLocationUpdates(LocationManager manager, long intervalMs, float meters, Criteria criteria,
            LocationListener listener, Looper looper) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(intervalMs, meters, criteria, listener, looper);
            done = 0;
        } finally {
            started(start, done, uses(criteria), listener);
        }
    }

    /** Hook of {@link LocationManager#requestLocationUpdates(String, long, float, PendingIntent)}. */
    public static void requestLocationUpdates(LocationManager manager, String provider, long intervalMs, float meters,
            PendingIntent intent) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(provider, intervalMs, meters, intent);
            done = 0;
        } finally {
            started(start, done, uses(provider), intent);
        }
    }

    /** Hook of {@link LocationManager#requestLocationUpdates(long, float, Criteria, PendingIntent)}. */
    public static void requestLocationUpdates(LocationManager manager, long intervalMs, float meters, Criteria criteria,
            PendingIntent intent) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(intervalMs, meters, criteria, intent);
            done = 0;
        } finally {
            started(start, done, uses(criteria), intent);
        }
    }

    /** Hook of {@link LocationManager#requestSingleUpdate(String, PendingIntent)}. */
    public static void requestSingleUpdate(LocationManager manager, String provider, PendingIntent intent) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestSingleUpdate(provider, intent);
            done = 0;
        } finally {
            started(start, done, uses(provider), intent);
        }
    }

    /** Hook of {@link LocationManager#requestSingleUpdate(Criteria, PendingIntent)}. */
    public static void requestSingleUpdate(LocationManager manager, Criteria criteria, PendingIntent intent) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestSingleUpdate(criteria, intent);
            done = 0;
        } finally {
            started(start, done, uses(criteria), intent);
        }
    }

    /** Hook of {@link LocationManager#requestSingleUpdate(String, LocationListener, Looper)}. */
    public static void requestSingleUpdate(LocationManager manager, String provider, LocationListener listener,
            Looper looper) {
        LocationListener once = SingleUpdate.of(listener, uses(provider));
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestSingleUpdate(provider, once, looper);
            done = 0;
        } finally {
            startedOnce(start, done, uses(provider), once);
        }
    }

    /** Hook of {@link LocationManager#requestSingleUpdate(Criteria, LocationListener, Looper)}. */
    public static void requestSingleUpdate(LocationManager manager, Criteria criteria, LocationListener listener,
            Looper looper) {
        LocationListener once = SingleUpdate.of(listener, uses(criteria));
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestSingleUpdate(criteria, once, looper);
            done = 0;
        } finally {
            startedOnce(start, done, uses(criteria), once);
        }
    }

    /** Hook of {@link LocationManager#removeUpdates(LocationListener)}. */
    public static void removeUpdates(LocationManager manager, LocationListener listener) {
        SingleUpdate once = SingleUpdate.known(listener);
        if (once != null) {
            manager.removeUpdates(once);
            once.stop();
        }
        long start = Hook.begin(Api.GNSS_STOP);
        long done = Hook.FAILED;
        try {
            manager.removeUpdates(listener);
            done = 0;
        } finally {
            DeviceTables.get().locationListeners.end(Api.GNSS_STOP, Hook.GNSS, start, done, listener);
        }
    }

    /** Hook of {@link LocationManager#removeUpdates(PendingIntent)}. */
    public static void removeUpdates(LocationManager manager, PendingIntent intent) {
        long start = Hook.begin(Api.GNSS_STOP);
        long done = Hook.FAILED;
        try {
            manager.removeUpdates(intent);
            done = 0;
        } finally {
            DeviceTables.get().locationIntents.end(Api.GNSS_STOP, Hook.GNSS, start, done, intent);
        }
    }

    /** Returns whether a provider uses GNSS. An estimate for the fused provider. */
    static boolean uses(String provider) {
        return LocationManager.GPS_PROVIDER.equals(provider) || FUSED.equals(provider);
    }

    /** Returns whether the provider that Android chooses uses GNSS; an estimate. */
    static boolean uses(Criteria criteria) {
        return criteria != null && criteria.getAccuracy() != Criteria.ACCURACY_COARSE
                && criteria.getPowerRequirement() != Criteria.POWER_LOW;
    }

    static void started(long start, long done, boolean uses, LocationListener listener) {
        if (uses && done != Hook.FAILED) {
            DeviceTables.get().locationListeners.add(listener);
        }
        started(start, done, uses, System.identityHashCode(listener));
    }

    private static void startedOnce(long start, long done, boolean uses, LocationListener once) {
        if (done == Hook.FAILED && once instanceof SingleUpdate) {
            ((SingleUpdate) once).forget();
        }
        started(start, done, uses, System.identityHashCode(once));
    }

    static void started(long start, long done, boolean uses, PendingIntent intent) {
        if (uses && done != Hook.FAILED) {
            DeviceTables.get().locationIntents.add(intent);
        }
        started(start, done, uses, StartedIntents.handleOf(intent));
    }

    static void started(long start, long done, boolean uses, long handle) {
        if (uses || done == Hook.FAILED) {
            Hook.end(Api.GNSS, start, Hook.GNSS, 0, done, handle);
        } else {
            Hook.leave(Api.GNSS);
        }
    }
}
