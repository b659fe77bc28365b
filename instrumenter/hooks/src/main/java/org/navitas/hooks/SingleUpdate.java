package org.navitas.hooks;

import android.location.Location;
import android.location.LocationListener;
import android.os.Bundle;
import java.lang.ref.WeakReference;
import org.navitas.runtime.Hook;

/** The listener of a request for one location, which ends when the location arrives. */
final class SingleUpdate implements LocationListener {
    private static final WeakTable<WeakReference<SingleUpdate>> KNOWN = new WeakTable<>();

    private final LocationListener listener;
    private boolean uses;

    private SingleUpdate(LocationListener listener, boolean uses) {
        this.listener = listener;
        this.uses = uses;
    }

    /** Returns a listener that notes the end of the request; without records, and for null, the listener itself. */
    static LocationListener of(LocationListener listener, boolean uses) {
        if (listener == null || Hook.now() == 0) {
            return listener;
        }
        SingleUpdate once = new SingleUpdate(listener, uses);
        KNOWN.put(listener, new WeakReference<>(once));
        return once;
    }

    /** Returns the last request of a listener that may be waiting, or null. */
    static SingleUpdate known(LocationListener listener) {
        WeakReference<SingleUpdate> known = listener == null ? null : KNOWN.get(listener);
        return known == null ? null : known.get();
    }

    /** Notes the end of the request, once. */
    synchronized void stop() {
        if (uses) {
            uses = false;
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
