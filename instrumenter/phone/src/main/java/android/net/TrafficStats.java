package android.net;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Android's counters of traffic on the virtual phone, which writes them to a file: lines {@code uid rx_bytes rx_packets
 * tx_bytes tx_packets}. They grow from the phone's start on. As on Android, traffic within the phone counts, too. Thread-safe.
 */
public final class TrafficStats {
    /** The value of counters that the system does not have. */
    public static final int UNSUPPORTED = -1;

    private static final String FILE = "/dev/socket/traffic";
    private static final int MOST_BYTES = 1 << 14;

    private TrafficStats() {}

    /**
     * Returns the bytes that a uid received.
     *
     * @param uid an app's uid
     * @return bytes with headers, or {@link #UNSUPPORTED}
     */
    public static long getUidRxBytes(int uid) {
        return count(uid, 1);
    }

    /**
     * Returns the packets that a uid received.
     *
     * @param uid an app's uid
     * @return packets, or {@link #UNSUPPORTED}
     */
    public static long getUidRxPackets(int uid) {
        return count(uid, 2);
    }

    /**
     * Returns the bytes that a uid sent.
     *
     * @param uid an app's uid
     * @return bytes with headers, or {@link #UNSUPPORTED}
     */
    public static long getUidTxBytes(int uid) {
        return count(uid, 3);
    }

    /**
     * Returns the packets that a uid sent.
     *
     * @param uid an app's uid
     * @return packets, or {@link #UNSUPPORTED}
     */
    public static long getUidTxPackets(int uid) {
        return count(uid, 4);
    }

    private static long count(int uid, int column) {
        byte[] text = new byte[MOST_BYTES];
        int length = 0;
        try (FileInputStream in = new FileInputStream(System.getProperty("navitas.sysRoot", "") + FILE)) {
            for (int n = 0; n >= 0; n = in.read(text, length, text.length - length)) {
                length += n;
                if (length == text.length) {
                    return UNSUPPORTED; // more uids than a phone has
                }
            }
            for (String line : new String(text, 0, length, StandardCharsets.US_ASCII).split("\n")) {
                String[] fields = line.split(" ");
                if (fields.length == 5 && fields[0].equals(Integer.toString(uid))) {
                    return Long.parseLong(fields[column]);
                }
            }
            return 0;
        } catch (IOException | NumberFormatException e) {
            return UNSUPPORTED;
        }
    }
}
