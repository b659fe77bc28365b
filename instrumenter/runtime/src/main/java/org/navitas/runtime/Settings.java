package org.navitas.runtime;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What to record. Read once, from the process's properties file under sysRoot; system properties {@code navitas.<key>}
 * override it.
 */
final class Settings {
    /** The uids of each user of a phone (UserHandle.PER_USER_RANGE). */
    private static final int PER_USER = 100_000;

    final String sysRoot;
    final File out;
    final int repeat;
    final boolean logcat;
    final boolean folded;
    final boolean ticked;
    /** Whether probes record nothing. */
    final boolean unprobed;
    /** Whether executions of basic blocks are counted. */
    final boolean blocks;
    /** Whether hooks record what API calls did. */
    final boolean hooks;

    final long eventBudgetBytes;
    final long anchorIntervalNs;
    final long sampleIntervalNs;
    /** Time between two readings of counters of traffic. */
    final long trafficIntervalNs;

    final long tickIntervalNs;
    final long flushIntervalNs;
    /** Configured paths of counters by source id, without sysRoot. */
    final Map<Integer, String> sources;

    Settings(String sysRoot, Properties values) {
        this.sysRoot = sysRoot;
        logcat = "logcat".equals(values.getProperty("transport"));
        ticked = "tick".equals(values.getProperty("mode"));
        unprobed = "none".equals(values.getProperty("mode"));
        blocks = "true".equals(values.getProperty("blocks"));
        hooks = "true".equals(values.getProperty("hooks"));
        folded = ticked || "folded".equals(values.getProperty("mode"));
        out = values.containsKey("out") ? under(values.getProperty("out")) : null;
        if (out == null && !logcat) {
            throw new IllegalArgumentException("the key 'out' is missing");
        }
        repeat = (int) number(values, "repeat", 0, 0, 65535);
        eventBudgetBytes = number(values, "eventBudgetBytes", 64 << 20, 0, Long.MAX_VALUE);
        anchorIntervalNs = 1_000 * number(values, "anchorIntervalUs", 1_000, 1, 1_000_000_000);
        sampleIntervalNs = 1_000_000 * number(values, "sampleIntervalMs", 20, 1, 1_000_000);
        trafficIntervalNs = 1_000_000 * number(values, "ioIntervalMs", 200, 1, 1_000_000);
        tickIntervalNs = 1_000 * number(values, "tickIntervalUs", 1_000, 100, 1_000_000);
        flushIntervalNs = 1_000_000 * number(values, "flushIntervalMs", 500, 1, 1_000_000);
        sources = new TreeMap<>();
        for (String key : values.stringPropertyNames()) {
            if (key.startsWith(Format.SOURCE)) {
                int id = (int) number(key, key.substring(Format.SOURCE.length()), 1, 65535);
                sources.put(id, values.getProperty(key));
            }
        }
    }

    /**
     * Loads the settings of a process with this uid; returns null if there are none. Throws IllegalArgumentException,
     * which names the key, for an invalid value.
     */
    static Settings load(int uid) throws IOException {
        String sysRoot = System.getProperty("navitas.sysRoot", "/");
        Properties values = new Properties();
        File file = file(sysRoot, uid / PER_USER);
        boolean found = file.isFile();
        if (found) {
            load(new FileInputStream(file), values);
        }
        for (String key : System.getProperties().stringPropertyNames()) {
            if (key.startsWith(Format.SETTINGS_PREFIX)) {
                values.setProperty(key.substring(Format.SETTINGS_PREFIX.length()), System.getProperty(key));
            }
        }
        if (!found && !values.containsKey("out") && !values.containsKey("transport")) {
            return null;
        }
        return new Settings(sysRoot, values);
    }

    /** Returns the id of the method map of the app's classes, or 0 if unknown. */
    static long mapId() throws IOException {
        String id;
        try {
            id = Class.forName("org.navitas.map.NavitasMap").newInstance().toString();
        } catch (ReflectiveOperationException e) { // not an instrumented Android app
            Properties map = new Properties();
            InputStream in = Settings.class.getResourceAsStream("/META-INF/navitas/map.properties");
            if (in != null) {
                load(in, map);
            }
            id = map.getProperty("map_id", "0");
        }
        return new BigInteger(id, 16).longValue();
    }

    private static void load(InputStream from, Properties into) throws IOException {
        try {
            into.load(new InputStreamReader(from, StandardCharsets.UTF_8));
        } finally {
            from.close();
        }
    }

    File under(String path) {
        return sysRoot.equals("/") ? new File(path) : new File(sysRoot, path);
    }

    /**
     * All processes of an app (APP, APP:NAME) have the same file. A JVM's process is named after its program and has
     * none.
     */
    private static File file(String sysRoot, int user) {
        String process = System.getProperty("navitas.process");
        if (process == null) {
            process = FileSource.text("/proc/self/cmdline");
        }
        String app = process.split("[\0:]", 2)[0];
        File file = new File(sysRoot, Format.APPS_FOLDER + user + "/" + app + "/files" + Format.OWN_SETTINGS);
        if (!file.isFile()) { // not a debuggable app
            file = new File(sysRoot, Format.MEDIA_FOLDER + user + "/Android/media/" + app + Format.OWN_SETTINGS);
        }
        return file.isFile() ? file : new File(sysRoot, Format.SETTINGS_FOLDER + app + ".properties");
    }

    private static long number(Properties values, String key, long fallback, long least, long most) {
        String text = values.getProperty(key);
        return text == null ? fallback : number(key, text, least, most);
    }

    private static long number(String key, String text, long least, long most) {
        try {
            long value = Long.parseLong(text.trim());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // same message as for a number out of range
        }
        throw new IllegalArgumentException(
                "'" + key + "' needs a number from " + least + " to " + most + ", not " + text);
    }
}
