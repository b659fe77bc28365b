package org.navitas.runtime;

import android.net.TrafficStats;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Traffic of the app's uid since boot: one line {@code rx_bytes rx_packets tx_bytes tx_packets}. On a JVM, only a
 * virtual phone counts it, and provides {@link TrafficStats}.
 */
final class TrafficSource extends FileSource {
    private final int uid;

    TrafficSource(int id, int uid) {
        super(id, new File(Format.TRAFFIC));
        this.uid = uid;
        isTraffic = true;
    }

    /** Waits for packets that are still on their way: they belong to calls that have returned. */
    @Override
    void finish() {
        long end = System.nanoTime() + Limits.LATE_PACKETS_NS;
        while (end - System.nanoTime() > 0) {
            Thread.interrupted(); // parking needs the flag clear
            LockSupport.parkNanos(this, end - System.nanoTime());
        }
    }

    @Override
    void read(Bytes into) throws IOException {
        String line;
        try {
            line = TrafficStats.getUidRxBytes(uid) + " " + TrafficStats.getUidRxPackets(uid) + " "
                    + TrafficStats.getUidTxBytes(uid) + " " + TrafficStats.getUidTxPackets(uid) + "\n";
        } catch (LinkageError e) {
            throw new IOException("no Android");
        }
        if (line.indexOf('-') >= 0) { // TrafficStats.UNSUPPORTED
            throw new IOException("not counted");
        }
        into.utf8(line);
    }
}
