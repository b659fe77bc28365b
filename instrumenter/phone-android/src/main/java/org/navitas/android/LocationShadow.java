package org.navitas.android;

import android.Manifest;
import android.app.PendingIntent;
import android.location.Criteria;
import android.location.LocationListener;
import android.location.LocationManager;
import android.location.LocationRequest;
import android.os.Looper;
import java.util.concurrent.Executor;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowLocationManager;

/** GNSS runs while an app has requested updates of the providers {@code gps} or {@code fused}. */
@Implements(className = "android.location.LocationManager")
public class LocationShadow extends ShadowLocationManager {
    private static final String GNSS = "gnss";

    @Implementation
    @Override
    protected void requestLocationUpdates(String provider, long ms, float meters, LocationListener listener) {
        mayLocate();
        super.requestLocationUpdates(provider, ms, meters, listener);
        started(provider, listener);
    }

    @Implementation
    @Override
    protected void requestLocationUpdates(
            String provider, long ms, float meters, LocationListener listener, Looper looper) {
        mayLocate();
        super.requestLocationUpdates(provider, ms, meters, listener, looper);
        started(provider, listener);
    }

    @Implementation
    @Override
    protected void requestLocationUpdates(
            String provider, long ms, float meters, Executor executor, LocationListener listener) {
        mayLocate();
        super.requestLocationUpdates(provider, ms, meters, executor, listener);
        started(provider, listener);
    }

    @Implementation
    @Override
    protected void requestLocationUpdates(
            long ms, float meters, Criteria criteria, LocationListener listener, Looper looper) {
        mayLocate();
        super.requestLocationUpdates(ms, meters, criteria, listener, looper);
        started(LocationManager.GPS_PROVIDER, listener);
    }

    @Implementation
    @Override
    protected void requestLocationUpdates(String provider, long ms, float meters, PendingIntent intent) {
        mayLocate();
        super.requestLocationUpdates(provider, ms, meters, intent);
        started(provider, intent);
    }

    @Implementation
    @Override
    protected void requestLocationUpdates(
            String provider, LocationRequest request, Executor executor, LocationListener listener) {
        mayLocate();
        super.requestLocationUpdates(provider, request, executor, listener);
        started(provider, listener);
    }

    @Implementation
    @Override
    protected void requestLocationUpdates(String provider, LocationRequest request, PendingIntent intent) {
        mayLocate();
        super.requestLocationUpdates(provider, request, intent);
        started(provider, intent);
    }

    @Implementation
    @Override
    protected void removeUpdates(LocationListener listener) {
        super.removeUpdates(listener);
        ComponentUse.stop(GNSS, listener);
    }

    @Implementation
    @Override
    protected void removeUpdates(PendingIntent intent) {
        super.removeUpdates(intent);
        ComponentUse.stop(GNSS, intent);
    }

    private static void mayLocate() {
        if (!Permissions.isRequested(Manifest.permission.ACCESS_COARSE_LOCATION)) {
            Permissions.enforce(Manifest.permission.ACCESS_FINE_LOCATION, null);
        }
    }

    private static void started(String provider, Object listener) {
        if (LocationManager.GPS_PROVIDER.equals(provider) || "fused".equals(provider)) {
            ComponentUse.start(GNSS, listener, provider, 0);
        }
    }
}
