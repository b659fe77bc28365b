package org.navitas.phone;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Pattern;

/**
 * Writes the raw stream of {@code am instrument -r}. Each bundle is written at once, with sorted keys (AOSP:
 * Instrument.java). Indents a line of a value that looks like one of the stream, so that a message cannot forge a
 * result.
 */
final class StatusPrinter {
    /** Activity.RESULT_OK and RESULT_CANCELED. */
    static final int OK = -1, CANCELED = 0;

    private static final Pattern LOOKS_LIKE_THE_STREAM = Pattern.compile("(?<=\n)(?=INSTRUMENTATION_|onError: )");

    private final OutputStream out;

    StatusPrinter(OutputStream out) {
        this.out = out;
    }

    void status(int code, SortedMap<String, String> values) {
        print("INSTRUMENTATION_STATUS: ", values, "INSTRUMENTATION_STATUS_CODE: " + code);
    }

    void result(int code, SortedMap<String, String> values) {
        print("INSTRUMENTATION_RESULT: ", values, "INSTRUMENTATION_CODE: " + code);
    }

    private synchronized void print(String prefix, SortedMap<String, String> values, String last) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> value : values.entrySet()) {
            String lines = LOOKS_LIKE_THE_STREAM.matcher(value.getValue()).replaceAll(" ");
            text.append(prefix).append(value.getKey()).append('=').append(lines).append('\n');
        }
        try {
            out.write(text.append(last).append('\n').toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException("the reader of the instrumentation stream has closed it", e);
        }
    }
}
