package android.os;

import java.util.Map;

/** Android 15's class, which Android 13's framework lacks: readings of power monitors. */
public final class PowerMonitorReadings {
    /** The energy of a monitor that was not read. */
    public static final int ENERGY_UNAVAILABLE = -1;

    private final Map<PowerMonitor, long[]> readings;

    /**
     * Creates readings.
     *
     * @param readings by monitor, its time since boot in ms and its energy since boot in microwatt seconds
     */
    public PowerMonitorReadings(Map<PowerMonitor, long[]> readings) {
        this.readings = readings;
    }

    /**
     * Returns the energy of a monitor.
     *
     * @param monitor one of those that were read
     * @return microwatt seconds since boot, or {@link #ENERGY_UNAVAILABLE}
     */
    public long getConsumedEnergy(PowerMonitor monitor) {
        long[] reading = readings.get(monitor);
        return reading == null ? ENERGY_UNAVAILABLE : reading[1];
    }

    /**
     * Returns when a monitor was read.
     *
     * @param monitor one of those that were read
     * @return ms since boot, or 0
     */
    public long getTimestampMillis(PowerMonitor monitor) {
        long[] reading = readings.get(monitor);
        return reading == null ? 0 : reading[0];
    }
}
