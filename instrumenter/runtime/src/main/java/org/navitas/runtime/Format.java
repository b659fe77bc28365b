package org.navitas.runtime;

/**
 * Numbers of the event file and names of settings (docs/dev/formats.md). Contains only constants, which the compiler
 * inlines, so the jar does not contain this class.
 */
final class Format {
    static final int MAGIC = 'N' | 'V' << 8 | 'C' << 16 | 'H' << 24;
    static final int VERSION = 1;
    /** Offsets in a chunk's header: the number of records and the number of payload bytes. */
    static final int COUNT_AT = 44;

    static final int PAYLOAD_BYTES_AT = 48;
    static final int MAX_NAME = 200;

    /** Types of chunks. */
    static final int CALLS = 1;

    static final int ANCHORS = 2;
    static final int COUNTERS = 3;
    static final int MARKERS = 4;
    static final int FOLDED = 5;
    static final int HOOKS = 6;
    static final int BLOCKS = 7;
    static final int CLOCK_TRIPLES = 8;
    static final int HANDOFFS = 9;
    static final int COMMUNICATIONS = 10;
    static final int MOUNTS = 11;

    /** Kinds of events. An event is {@code kind << 62 | method << 40 | delta_ns}. */
    static final long ENTER = 0L;

    static final long EXIT = 1L << 62;
    static final long THROW = 2L << 62;
    static final long RESUME = 3L << 62;
    static final int DELTA_BITS = 40;
    static final long DELTA_MASK = (1L << DELTA_BITS) - 1;

    /** A reserved method id for {@link Recorder#mark}; the three ids after it are for calibration. */
    static final int EDGE = 0x3FFFFC;
    /** The method id of a count of garbage collections. */
    static final int COLLECTIONS = -1;
    /** The first reserved method id for calls of APIs; 128 ids belong to them. */
    static final int FIRST_API = 0x3FFF00;

    /** Words of an epoch before its rows, and words of a row, as a thread passes them to the writer. */
    static final int EPOCH_WORDS = 3;

    static final int ROW_WORDS = 4;
    /** Words of other records. */
    static final int ANCHOR_WORDS = 2;

    static final int HOOK_WORDS = 5;
    static final int HANDOFF_WORDS = 5;
    static final int MOUNT_WORDS = 3;
    /** The node of a hook's or handoff's record if calls are events. */
    static final int NO_NODE = -1;

    /** The counter source of ticks, and the setting that adds a source of threads. */
    static final int TICKS = 3;

    static final String THREADS = "threads";
    /** Paths of the counters of this process's storage accesses, and of the traffic of the app's uid. */
    static final String PROCESS_IO = "/proc/self/io";

    static final String TRAFFIC = "traffic";
    /** Android's power monitors. */
    static final String POWER_MONITORS = "power_monitors";
    /** The counters of all interfaces. */
    static final String INTERFACES = "/proc/net/dev";
    /** Where an app's own settings file can be. It overrides settings that the shell wrote. */
    static final String APPS_FOLDER = "/data/user/";

    static final String MEDIA_FOLDER = "/storage/emulated/";
    static final String OWN_SETTINGS = "/navitas/navitas.properties";
    /** The settings folder, the prefix of system properties, and the prefix of source keys. */
    static final String SETTINGS_FOLDER = "/data/local/tmp/navitas/";

    static final String SETTINGS_PREFIX = "navitas.";
    static final String SOURCE = "source.";
    /** The system property that shows other copies of the runtime that one is recording. */
    static final String RECORDING = "navitas.recording";

    private Format() {}
}
