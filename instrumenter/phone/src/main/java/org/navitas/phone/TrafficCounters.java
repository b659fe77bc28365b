package org.navitas.phone;

/**
 * Counters of traffic on the virtual phone, which writes them to a file: lines {@code NAME rx_bytes rx_packets tx_bytes
 * tx_packets} of each uid and each interface. They grow from the phone's start on. As on Android, traffic within the phone
 * counts, too. Thread-safe.
 */
public final class TrafficCounters {
    /** Columns of the counters. */
    public static final int RX_BYTES = 1;

    public static final int RX_PACKETS = 2;
    public static final int TX_BYTES = 3;
    public static final int TX_PACKETS = 4;
    /** TrafficStats.UNSUPPORTED: the value of counters that the system does not have. */
    public static final long UNSUPPORTED = -1;
    /** The phone's interfaces: within itself, Wi-Fi, mobile data. */
    public static final String[] INTERFACES = {"lo", "wlan0", "rmnet0"};

    private static final String FILE = "/dev/socket/traffic";
    private static final int COLUMNS = 5;

    private TrafficCounters() {}

    /**
     * Returns the sum of a counter over names.
     *
     * @param column one of the constants
     * @param names interfaces, or a uid; those without traffic count 0
     * @return {@link #UNSUPPORTED} without a phone that counts traffic
     */
    public static long sum(int column, String... names) {
        String text = PhoneFile.read(FILE);
        if (text.isEmpty()) {
            return UNSUPPORTED;
        }
        long sum = 0;
        for (String line : text.split("\n")) {
            String[] fields = line.split(" ");
            for (String name : names) {
                if (fields.length == COLUMNS && fields[0].equals(name)) {
                    sum += Long.parseLong(fields[column]);
                }
            }
        }
        return sum;
    }
}
