package org.navitas.hooks.devices;

import android.app.PendingIntent;
import android.location.Criteria;
import android.location.LocationListener;
import android.location.LocationManager;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/**
 * Locations: GNSS is used from a request to its removal, or to the only location that a listener asks for. Android sends
 * the only location of an intent to where no hook sees it, so that request lasts until its removal.
 */
final class LocationUse {
    private static final String FUSED = "fused";

    private LocationUse() {}

    /** Returns whether a provider uses GNSS. An estimate for the fused provider. */
    static boolean uses(String provider) {
        return LocationManager.GPS_PROVIDER.equals(provider) || FUSED.equals(provider);
    }

    /** Returns whether the provider that Android chooses uses GNSS; an estimate. */
    static boolean uses(Criteria criteria) {
        return criteria != null
                && criteria.getAccuracy() != Criteria.ACCURACY_COARSE
                && criteria.getPowerRequirement() != Criteria.POWER_LOW;
    }

    static void started(long start, long done, boolean uses, LocationListener listener) {
        if (uses && done != Hook.FAILED) {
            DeviceTables.get().locationListeners.add(listener);
        }
        started(start, done, uses, System.identityHashCode(listener));
    }

    static void startedOnce(long start, long done, boolean uses, LocationListener once) {
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
