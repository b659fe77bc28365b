package android.net;

import org.navitas.phone.TrafficCounters;

/**
 * Android's counters of traffic for Navitas's runtime, which belongs to the JVM's class loader. Code within Android's
 * framework uses the framework's class of this name.
 */
public final class TrafficStats {
    /** The value of counters that the system does not have. */
    public static final int UNSUPPORTED = -1;

    private TrafficStats() {}

    /**
     * Returns the bytes that a uid received.
     *
     * @param uid an app's uid
     * @return bytes with headers, or {@link #UNSUPPORTED}
     */
    public static long getUidRxBytes(int uid) {
        return TrafficCounters.sum(TrafficCounters.RX_BYTES, Integer.toString(uid));
    }

    /**
     * Returns the packets that a uid received.
     *
     * @param uid an app's uid
     * @return packets, or {@link #UNSUPPORTED}
     */
    public static long getUidRxPackets(int uid) {
        return TrafficCounters.sum(TrafficCounters.RX_PACKETS, Integer.toString(uid));
    }

    /**
     * Returns the bytes that a uid sent.
     *
     * @param uid an app's uid
     * @return bytes with headers, or {@link #UNSUPPORTED}
     */
    public static long getUidTxBytes(int uid) {
        return TrafficCounters.sum(TrafficCounters.TX_BYTES, Integer.toString(uid));
    }

    /**
     * Returns the packets that a uid sent.
     *
     * @param uid an app's uid
     * @return packets, or {@link #UNSUPPORTED}
     */
    public static long getUidTxPackets(int uid) {
        return TrafficCounters.sum(TrafficCounters.TX_PACKETS, Integer.toString(uid));
    }
}
