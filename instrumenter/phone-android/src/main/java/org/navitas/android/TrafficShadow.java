package org.navitas.android;

import android.net.TrafficStats;
import android.os.Process;
import org.navitas.phone.TrafficCounters;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowTrafficStats;

/** The counters of {@code /proc/net/dev}, and of the app's own uid: since Android 7, an app cannot read those of others. */
@Implements(className = "android.net.TrafficStats")
public class TrafficShadow extends ShadowTrafficStats {
    private static final String MOBILE = "rmnet0";

    private static long ofUid(int uid, int column) {
        return uid == Process.myUid() ? TrafficCounters.sum(column, Integer.toString(uid)) : TrafficStats.UNSUPPORTED;
    }

    private static long total(int column) {
        return TrafficCounters.sum(column, TrafficCounters.INTERFACES);
    }

    @Implementation
    protected static long getUidRxBytes(int uid) {
        return ofUid(uid, TrafficCounters.RX_BYTES);
    }

    @Implementation
    protected static long getUidRxPackets(int uid) {
        return ofUid(uid, TrafficCounters.RX_PACKETS);
    }

    @Implementation
    protected static long getUidTxBytes(int uid) {
        return ofUid(uid, TrafficCounters.TX_BYTES);
    }

    @Implementation
    protected static long getUidTxPackets(int uid) {
        return ofUid(uid, TrafficCounters.TX_PACKETS);
    }

    @Implementation
    protected static long getTotalRxBytes() {
        return total(TrafficCounters.RX_BYTES);
    }

    @Implementation
    protected static long getTotalRxPackets() {
        return total(TrafficCounters.RX_PACKETS);
    }

    @Implementation
    protected static long getTotalTxBytes() {
        return total(TrafficCounters.TX_BYTES);
    }

    @Implementation
    protected static long getTotalTxPackets() {
        return total(TrafficCounters.TX_PACKETS);
    }

    @Implementation
    protected static long getMobileRxBytes() {
        return getRxBytes(MOBILE);
    }

    @Implementation
    protected static long getMobileRxPackets() {
        return getRxPackets(MOBILE);
    }

    @Implementation
    protected static long getMobileTxBytes() {
        return getTxBytes(MOBILE);
    }

    @Implementation
    protected static long getMobileTxPackets() {
        return getTxPackets(MOBILE);
    }

    @Implementation
    protected static long getRxBytes(String name) {
        return TrafficCounters.sum(TrafficCounters.RX_BYTES, name);
    }

    @Implementation
    protected static long getRxPackets(String name) {
        return TrafficCounters.sum(TrafficCounters.RX_PACKETS, name);
    }

    @Implementation
    protected static long getTxBytes(String name) {
        return TrafficCounters.sum(TrafficCounters.TX_BYTES, name);
    }

    @Implementation
    protected static long getTxPackets(String name) {
        return TrafficCounters.sum(TrafficCounters.TX_PACKETS, name);
    }
}
