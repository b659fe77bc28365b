package org.navitas.hooks.devices;

import java.lang.ref.WeakReference;
import org.navitas.hooks.base.Started;
import org.navitas.hooks.base.WeakTable;
import org.navitas.runtime.Hook;

/** What hooks of devices remember. See {@link org.navitas.hooks.Tables}. */
public final class DeviceTables {
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

    static DeviceTables get() {
        return Hook.isStarted() ? Made.TABLES : new DeviceTables();
    }

    /** The tables of the process, as a constant. */
    public static final class Made {
        public static final DeviceTables TABLES = new DeviceTables();

        private Made() {}
    }
}
