package org.navitas.runtime;

/**
 * Writes chunks as lines of the system log: {@code NV1 <pid> <n> <part>/<parts> <base64>}, with parts counted from 0.
 * The log drops lines if it receives too many. Lines are therefore paced, and refused lines are tried again for a
 * while. A missing number shows a lost chunk.
 */
final class LogcatSink extends FileSink {
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    private final Platform platform;
    private final int process;
    private long chunks;
    private int sinceRest;

    LogcatSink(Platform platform, int process) {
        this.platform = platform;
        this.process = process;
    }

    @Override
    void write(byte[] bytes, int length) {
        String text = base64(bytes, length);
        int parts = (text.length() + Limits.PART_CHARS - 1) / Limits.PART_CHARS;
        for (int part = 0; part < parts; part++) {
            String piece =
                    text.substring(part * Limits.PART_CHARS, Math.min(text.length(), (part + 1) * Limits.PART_CHARS));
            line("NV1 " + process + " " + chunks + " " + part + "/" + parts + " " + piece);
        }
        chunks++;
    }

    private void line(String text) {
        sinceRest += text.length();
        if (sinceRest > Limits.PACE_CHARS) {
            rest();
        }
        for (int i = 0; i < Limits.TRIES && !platform.log(text); i++) {
            rest();
        }
    }

    private void rest() {
        sinceRest = 0;
        try {
            Thread.sleep(Limits.PACE_MS);
        } catch (InterruptedException e) {
            // The application cannot have meant this thread; writing continues.
        }
    }

    @Override
    int payloadLimit() {
        return 2048;
    }

    @Override
    void close() {}

    /** Encodes Base64; Android has java.util.Base64 only from API 26 on. */
    static String base64(byte[] bytes, int length) {
        StringBuilder text = new StringBuilder((length + 2) / 3 * 4);
        for (int i = 0; i < length; i += 3) {
            int left = length - i;
            int bits = (bytes[i] & 255) << 16;
            bits |= left > 1 ? (bytes[i + 1] & 255) << 8 : 0;
            bits |= left > 2 ? bytes[i + 2] & 255 : 0;
            for (int digit = 0; digit < 4; digit++) {
                text.append(digit > left ? '=' : DIGITS.charAt(bits >> 18 - 6 * digit & 63));
            }
        }
        return text.toString();
    }
}
