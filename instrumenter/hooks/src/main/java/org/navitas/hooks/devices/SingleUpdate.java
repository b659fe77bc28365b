package org.navitas.hooks.devices;

import android.location.Location;
import android.location.LocationListener;
import android.location.LocationManager;
import android.os.Bundle;
import java.lang.ref.WeakReference;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/**
 * The listener of a request for one location with GNSS, which ends when the location arrives. Each listener of the app
 * has one of these: a further request replaces the former, as without hooks.
 */
final class SingleUpdate implements LocationListener {

    private final LocationListener listener;
    private boolean waits;

    private SingleUpdate(LocationListener listener) {
        this.listener = listener;
    }

    /**
     * Returns a listener that notes the end of the request; without records, without GNSS, and for null, the listener
     * itself.
     */
    static LocationListener of(LocationListener listener, boolean uses) {
        if (listener == null || !uses || Hook.now() == 0) {
            return listener;
        }
        SingleUpdate once;
        synchronized (DeviceTables.get().singleUpdates) {
            once = known(listener);
            if (once == null) {
                once = new SingleUpdate(listener);
                DeviceTables.get().singleUpdates.put(listener, new WeakReference<>(once));
            }
        }
        once.await();
        return once;
    }

    /** Ends the request that may be waiting for a location for a listener. */
    static void remove(LocationManager manager, LocationListener listener) {
        SingleUpdate once = known(listener);
        if (once != null) {
            manager.removeUpdates(once);
            once.stop();
        }
    }

    /** Returns what may be waiting for a location for a listener, or null. */
    static SingleUpdate known(LocationListener listener) {
        WeakReference<SingleUpdate> known =
                listener == null ? null : DeviceTables.get().singleUpdates.get(listener);
        return known == null ? null : known.get();
    }

    private synchronized void await() {
        waits = true;
    }

    /** Notes that the request failed: nothing ends. */
    synchronized void forget() {
        waits = false;
    }

    /** Notes the end of the request, once. */
    synchronized void stop() {
        if (waits) {
            waits = false;
            long start = Hook.begin(Api.GNSS_STOP);
            Hook.end(Api.GNSS_STOP, start, Hook.GNSS, Hook.STOP, 0, System.identityHashCode(this));
        }
    }

    @Override
    public void onLocationChanged(Location location) {
        stop();
        listener.onLocationChanged(location);
    }

    @Override
    @SuppressWarnings("deprecation")
    public void onStatusChanged(String provider, int status, Bundle extras) {
        listener.onStatusChanged(provider, status, extras);
    }

    @Override
    public void onProviderEnabled(String provider) {
        listener.onProviderEnabled(provider);
    }

    @Override
    public void onProviderDisabled(String provider) {
        listener.onProviderDisabled(provider);
    }
}
