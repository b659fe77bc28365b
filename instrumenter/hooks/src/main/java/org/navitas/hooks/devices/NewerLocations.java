package org.navitas.hooks.devices;

import android.app.PendingIntent;
import android.location.Criteria;
import android.location.Location;
import android.location.LocationListener;
import android.location.LocationManager;
import android.location.LocationRequest;
import android.os.CancellationSignal;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of the methods for locations of Android 11 and 12. */
@NewerPlatform
public final class NewerLocations {
    private NewerLocations() {}

    /** Hook of {@link LocationManager#requestLocationUpdates(String, long, float, Executor, LocationListener)}. */
    public static void requestLocationUpdates(LocationManager manager, String provider, long intervalMs, float meters,
            Executor executor, LocationListener listener) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(provider, intervalMs, meters, executor, listener);
            done = 0;
        } finally {
            Locations.started(start, done, Locations.uses(provider), listener);
        }
    }

    /** Hook of {@link LocationManager#requestLocationUpdates(long, float, Criteria, Executor, LocationListener)}. */
    public static void requestLocationUpdates(LocationManager manager, long intervalMs, float meters, Criteria criteria,
            Executor executor, LocationListener listener) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(intervalMs, meters, criteria, executor, listener);
            done = 0;
        } finally {
            Locations.started(start, done, Locations.uses(criteria), listener);
        }
    }

    /** Hook of {@link LocationManager#requestLocationUpdates(String, LocationRequest, Executor, LocationListener)}. */
    public static void requestLocationUpdates(LocationManager manager, String provider, LocationRequest request,
            Executor executor, LocationListener listener) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(provider, request, executor, listener);
            done = 0;
        } finally {
            Locations.started(start, done, uses(provider, request), listener);
        }
    }

    /** Hook of {@link LocationManager#requestLocationUpdates(String, LocationRequest, PendingIntent)}. */
    public static void requestLocationUpdates(LocationManager manager, String provider, LocationRequest request,
            PendingIntent intent) {
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.requestLocationUpdates(provider, request, intent);
            done = 0;
        } finally {
            Locations.started(start, done, uses(provider, request), intent);
        }
    }

    /** Hook of {@link LocationManager#getCurrentLocation(String, CancellationSignal, Executor, Consumer)}. */
    public static void getCurrentLocation(LocationManager manager, String provider, CancellationSignal cancellation,
            Executor executor, Consumer<Location> receiver) {
        CurrentLocation once = receiver == null ? null : new CurrentLocation(receiver, Locations.uses(provider));
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.getCurrentLocation(provider, cancellation, executor, once);
            done = 0;
        } finally {
            Locations.started(start, done, Locations.uses(provider), System.identityHashCode(once));
        }
    }

    /** Hook of {@link LocationManager#getCurrentLocation}. */
    public static void getCurrentLocation(LocationManager manager, String provider, LocationRequest request,
            CancellationSignal cancellation, Executor executor, Consumer<Location> receiver) {
        CurrentLocation once = receiver == null ? null : new CurrentLocation(receiver, uses(provider, request));
        long start = Hook.begin(Api.GNSS);
        long done = Hook.FAILED;
        try {
            manager.getCurrentLocation(provider, request, cancellation, executor, once);
            done = 0;
        } finally {
            Locations.started(start, done, uses(provider, request), System.identityHashCode(once));
        }
    }

    private static boolean uses(String provider, LocationRequest request) {
        return Locations.uses(provider) && (request == null || request.getQuality() != LocationRequest.QUALITY_LOW_POWER);
    }

    /** Receives the current location. The search for it ends then. */
    @NewerPlatform
    private static final class CurrentLocation implements Consumer<Location> {
        private final Consumer<Location> receiver;
        private final boolean uses;

        CurrentLocation(Consumer<Location> receiver, boolean uses) {
            this.receiver = receiver;
            this.uses = uses;
        }

        @Override
        public void accept(Location location) {
            if (uses) {
                long start = Hook.begin(Api.GNSS_STOP);
                Hook.end(Api.GNSS_STOP, start, Hook.GNSS, Hook.STOP, 0, System.identityHashCode(this));
            }
            receiver.accept(location);
        }
    }
}
