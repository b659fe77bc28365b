package org.navitas.hooks.devices;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.Arrays;
import org.junit.Test;
import org.navitas.hooks.Recorded;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Releases of locks. */
public class LocksTest {
    @Test
    public void releaseEndsItsCallAlsoIfTheLockCannotBeRead() throws Exception {
        Recorded<Object> recorded = Recorded.of(() -> {
            long wifi = Hook.begin(Api.WIFI_LOCK_STOP);
            assertThrows(NullPointerException.class, () -> WifiUse.released(wifi, 0, null));
            long wake = Hook.begin(Api.WAKE_LOCK_STOP);
            assertThrows(NullPointerException.class, () -> WakeLockUse.released(wake, 0, null));
            return null;
        });
        assertEquals(Arrays.asList(Api.WIFI_LOCK_STOP, Api.WAKE_LOCK_STOP), recorded.calls);
        assertEquals(recorded.calls, recorded.ended);
        assertEquals(0, recorded.uses.size());
    }
}
