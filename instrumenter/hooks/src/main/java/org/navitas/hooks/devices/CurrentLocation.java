package org.navitas.hooks.devices;

import android.location.Location;
import android.location.LocationRequest;
import java.util.function.Consumer;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Receives the current location. The search for it ends then. */
@NewerPlatform
final class CurrentLocation implements Consumer<Location> {
    private final Consumer<Location> receiver;
    private final boolean uses;

    private CurrentLocation(Consumer<Location> receiver, boolean uses) {
        this.receiver = receiver;
        this.uses = uses;
    }

    static Consumer<Location> of(Consumer<Location> receiver, boolean uses) {
        return receiver == null ? null : new CurrentLocation(receiver, uses);
    }

    /** Returns whether a provider uses GNSS for a request or null. */
    static boolean uses(String provider, LocationRequest request) {
        return LocationUse.uses(provider)
                && (request == null || request.getQuality() != LocationRequest.QUALITY_LOW_POWER);
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
