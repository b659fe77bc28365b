package org.navitas.hooks.devices;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;

import android.location.Location;
import android.location.LocationListener;
import java.util.Arrays;
import org.junit.Test;
import org.navitas.hooks.Recorded;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.base.Started;
import org.navitas.runtime.Hook;

/** Requests and scans end once, and only those that hooked code has started. */
public class SingleUpdateTest {
    private int locations;
    private final LocationListener listener = location -> locations++;

    @Test
    public void furtherRequestReplacesTheFormer() {
        LocationListener once = SingleUpdate.of(listener, true);
        assertNotSame(listener, once);
        assertSame(once, SingleUpdate.of(listener, true));
        assertSame(once, SingleUpdate.known(listener));
        assertNotSame(once, SingleUpdate.of(location -> {}, true));
    }

    @Test
    public void requestWithoutGnssIsTheListenersOwn() {
        assertSame(listener, SingleUpdate.of(listener, false));
        assertNull(SingleUpdate.known(listener));
        assertNull(SingleUpdate.of(null, true));
    }

    @Test
    public void eachRequestEndsOnce() throws Exception {
        Recorded<LocationListener> recorded = Recorded.of(() -> {
            LocationListener once = SingleUpdate.of(listener, true);
            SingleUpdate.of(listener, true);
            once.onLocationChanged((Location) null);
            once.onLocationChanged((Location) null);
            SingleUpdate.of(listener, true);
            SingleUpdate.known(listener).stop();
            return once;
        });
        assertEquals(2, locations);
        assertEquals(2, recorded.uses.size());
        for (Recorded.Use use : recorded.uses) {
            assertEquals(Hook.STOP, use.flags);
            assertEquals(System.identityHashCode(recorded.result), use.handle);
        }
    }

    @Test
    public void failedRequestHasNoEnd() throws Exception {
        Recorded<Object> recorded = Recorded.of(() -> {
            SingleUpdate.of(listener, true);
            SingleUpdate.known(listener).forget();
            SingleUpdate.known(listener).stop();
            return null;
        });
        assertEquals(0, recorded.uses.size());
    }

    @Test
    public void stopIsRecordedOnceForEachStart() throws Exception {
        Object callback = new Object();
        Started scans = new Started();
        Recorded<Object> recorded = Recorded.of(() -> {
            for (boolean starts : new boolean[] {false, true, false}) {
                if (starts) {
                    scans.add(callback);
                }
                scans.end(Api.BLUETOOTH_LE_STOP, Hook.BLUETOOTH_SCAN, Hook.begin(Api.BLUETOOTH_LE_STOP), 0, callback);
            }
            return null;
        });
        assertEquals(1, recorded.uses.size());
        assertEquals(
                Arrays.asList(Api.BLUETOOTH_LE_STOP, Api.BLUETOOTH_LE_STOP, Api.BLUETOOTH_LE_STOP), recorded.calls);
    }
}
