package org.navitas.phone;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the phone for its power monitors. The request is a report with a number. The phone answers with the file {@code
 * proc/PID/power_monitors} below its root: the number, then lines {@code type timestamp_ms energy_uws name}.
 */
public final class PowerMonitorPort {
    private static final String REPORT = "powermonitors";
    private static final long LIMIT_NS = 2_000_000_000L;
    private static final long PAUSE_NS = 2_000_000L;
    private static final int MOST_BYTES = 1 << 16;
    private static long last;

    private PowerMonitorPort() {}

    /**
     * Returns the phone's present answer. Waits up to two seconds for it.
     *
     * @return lines {@code type timestamp_ms energy_uws name}
     * @throws IOException if the phone does not answer
     */
    public static synchronized List<String> ask() throws IOException {
        long number = ++last;
        LogSocket.report(REPORT, Long.toString(number));
        File answer = new File(System.getProperty("navitas.sysRoot", ""), "proc/" + LogSocket.processId() + "/power_monitors");
        for (long end = System.nanoTime() + LIMIT_NS; System.nanoTime() < end; LockSupport.parkNanos(PAUSE_NS)) {
            List<String> lines = answer.isFile() ? lines(answer) : Arrays.asList("");
            if (lines.get(0).equals(Long.toString(number))) {
                return lines.subList(1, lines.size());
            }
        }
        throw new IOException("the phone's power monitors do not answer");
    }

    private static List<String> lines(File file) throws IOException {
        byte[] text = new byte[MOST_BYTES];
        int length = 0;
        try (InputStream in = new FileInputStream(file)) {
            for (int n = 0; n >= 0 && length < text.length; n = in.read(text, length, text.length - length)) {
                length += n;
            }
        }
        return Arrays.asList(new String(text, 0, length, StandardCharsets.UTF_8).split("\n"));
    }
}
