package org.navitas.phone;

import android.util.Log;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/** Turns printed text into log entries, one per line, as Android does with System.out and System.err. */
final class LogStream extends OutputStream {
    /** Longer lines become several entries. */
    private static final int MOST_BYTES = 4000;

    private final Consumer<String> log;
    private byte[] line = new byte[256];
    private int length;

    LogStream(Consumer<String> log) {
        this.log = log;
    }

    /** Redirects the test's standard streams to the log, with Android's tags. */
    static void install() {
        System.setOut(new LogStream(line -> Log.i("System.out", line)).printer());
        System.setErr(new LogStream(line -> Log.w("System.err", line)).printer());
    }

    PrintStream printer() {
        try {
            return new PrintStream(this, false, "UTF-8");
        } catch (UnsupportedEncodingException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public synchronized void write(int one) {
        if (one == '\n') {
            entry();
            return;
        }
        if (length == line.length) {
            line = Arrays.copyOf(line, 2 * length);
        }
        line[length++] = (byte) one;
        if (length == MOST_BYTES) {
            entry();
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int count) {
        for (int i = 0; i < count; i++) {
            write(bytes[offset + i]);
        }
    }

    /** Writes the rest as an entry, although its line has no end. */
    @Override
    public synchronized void close() {
        if (length > 0) {
            entry();
        }
    }

    private void entry() {
        int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
        length = 0;
        log.accept(new String(line, 0, end, StandardCharsets.UTF_8));
    }
}
