package org.navitas.phone;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the phone for something, or to change its state. The request is a report with a number. The phone answers with the
 * file {@code proc/PID/answer} below its root: the number, then the answer's lines.
 */
public final class PhoneRequest {
    private static final long LIMIT_NS = 2_000_000_000L;
    private static final long PAUSE_NS = 2_000_000L;
    private static long last;

    private PhoneRequest() {}

    /**
     * Returns the phone's answer. Waits up to two seconds for it.
     *
     * @param kind what is requested: {@code powermonitors}, {@code setting} or {@code radio}
     * @param words more about it, without spaces unless encoded
     * @return the lines of the answer
     * @throws IOException if the phone does not answer, or the request is longer than an entry of the log
     */
    public static synchronized List<String> ask(String kind, String... words) throws IOException {
        String number = Long.toString(++last);
        String request = String.join(" ", number, String.join(" ", words)).trim();
        if (!LogSocket.fits(kind, request)) {
            throw new IOException("too long for the phone: " + kind + ", " + request.length() + " bytes");
        }
        LogSocket.report(kind, request);
        for (long end = System.nanoTime() + LIMIT_NS; System.nanoTime() < end; LockSupport.parkNanos(PAUSE_NS)) {
            List<String> lines = Arrays.asList(
                    PhoneFile.read("/proc/" + LogSocket.processId() + "/answer").split("\n"));
            if (lines.get(0).equals(number)) {
                return lines.subList(1, lines.size());
            }
        }
        throw new IOException("the phone does not answer: " + kind);
    }

    /**
     * Encodes a word of a request.
     *
     * @param text any text
     * @return the text, percent-encoded
     */
    public static String encoded(String text) {
        try {
            return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
        } catch (UnsupportedEncodingException e) {
            throw new AssertionError(e);
        }
    }
}
