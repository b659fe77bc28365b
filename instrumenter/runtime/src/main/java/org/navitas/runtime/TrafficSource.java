package org.navitas.runtime;

import android.net.TrafficStats;
import java.io.File;
import java.io.IOException;

/**
 * Traffic of the app's uid since boot: one line {@code rx_bytes rx_packets tx_bytes tx_packets}. On a JVM, only a
 * virtual phone counts it, and provides {@link TrafficStats}.
 */
final class TrafficSource extends FileSource {
    private final int uid;

    TrafficSource(int id, int uid) {
        super(id, new File(Format.TRAFFIC));
        this.uid = uid;
    }

    @Override
    void read(Bytes into) throws IOException {
        long[] counts;
        try {
            counts = new long[] {
                TrafficStats.getUidRxBytes(uid),
                TrafficStats.getUidRxPackets(uid),
                TrafficStats.getUidTxBytes(uid),
                TrafficStats.getUidTxPackets(uid)
            };
        } catch (LinkageError e) {
            throw new IOException("no Android");
        }
        StringBuilder line = new StringBuilder();
        for (long count : counts) {
            if (count < 0) {
                throw new IOException("the system does not count it");
            }
            line.append(line.length() == 0 ? "" : " ").append(count);
        }
        byte[] text = line.append('\n').toString().getBytes(Bytes.UTF_8);
        into.bytes(text, 0, text.length);
    }
}
