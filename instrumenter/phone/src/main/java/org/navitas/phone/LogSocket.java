package org.navitas.phone;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends log entries to the phone's log daemon, each as one datagram to a loopback port. The file {@code navitas.log},
 * which only the phone's user can read, contains the port and a token in hexadecimal digits. A datagram is {@code token
 * | u8 priority | u32 pid | u32 tid | i64 realtime_ns | u8 buffer (0 main) | tag NUL message}, little-endian. Buffer 255 is a report of a component's use.
 *
 * <p>As with Android's log, a writer never waits. Entries that cannot be sent at once are lost and counted.
 * Thread-safe.
 */
public final class LogSocket {
    /** Maximum bytes of priority, tag, NUL, message and NUL (LOGGER_ENTRY_MAX_PAYLOAD); longer entries are cut. */
    static final int MAX_PAYLOAD = 4068;

    private static final int HEADER_BYTES = 18;
    private static final int TRY_AGAIN = -11; // -EAGAIN, the return value of liblog
    private static final int REPORT = 255;
    private static final int REPORT_TRIES = 100;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final String PRIORITIES = "..VDIWEF";

    private static final PrintStream STANDARD_ERROR = new PrintStream(new FileOutputStream(FileDescriptor.err), true);
    private static final LogSocket PROCESS = open(System.getProperty("navitas.log"));
    private static final int PID =
            leadingNumber(ManagementFactory.getRuntimeMXBean().getName());
    private static final ThreadLocal<Integer> TID = new ThreadLocal<Integer>() {
        @Override
        protected Integer initialValue() {
            return kernelThreadId();
        }
    };

    private final Integer port;
    private final byte[] token;
    private final AtomicLong lost = new AtomicLong();
    private DatagramChannel channel;

    /** Without a port, entries are printed to standard error. */
    LogSocket(Integer port, byte[] token) {
        this.port = port;
        this.token = token;
    }

    /** Opens the log whose address is in a file. If the file is unreadable, entries are printed to standard error. */
    static LogSocket open(String file) {
        if (file != null) {
            try (Scanner words = new Scanner(new File(file), "US-ASCII")) {
                return new LogSocket(words.nextInt(), bytes(words.next()));
            } catch (IOException | NoSuchElementException | NumberFormatException e) {
                STANDARD_ERROR.println("no log: " + e);
            }
        }
        return new LogSocket(null, new byte[0]);
    }

    private static byte[] bytes(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    /**
     * Writes to this process's log.
     *
     * @param priority such as {@link android.util.Log#INFO}
     * @param tag the entry's tag
     * @param message the text
     * @return the bytes of payload, or a negative number if the entry was lost
     */
    public static int write(int priority, String tag, String message) {
        return PROCESS.entry(priority, tag, message);
    }

    /**
     * Reports to the phone that this process starts or stops a component or uses a server, or asks for power monitors.
     * Unlike an entry, a report waits up to 0.1 s until it can be sent.
     *
     * @param kind the component
     * @param text {@code +KEY CURRENT_MA NAME} or {@code -KEY}; of a server, its port; of a request, its number
     */
    static void report(String kind, String text) {
        PROCESS.sendReport(kind, text);
    }

    /** Returns whether a report reaches the phone as a whole. */
    static boolean fits(String kind, String text) {
        return (kind + '\0' + text).getBytes(StandardCharsets.UTF_8).length <= MAX_PAYLOAD - 2;
    }

    /** Returns the id of this process. */
    static int processId() {
        return PID;
    }

    private void sendReport(String kind, String text) {
        if (port == null) {
            return;
        }
        ByteBuffer report = datagram(2, REPORT, (kind + '\0' + text).getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < REPORT_TRIES && !send(report); i++) {
            report.rewind();
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Writes an entry. Never throws; any thread can call it. */
    int entry(int priority, String tag, String message) {
        int known = Math.max(2, Math.min(7, priority));
        if (port == null) {
            STANDARD_ERROR.println(PRIORITIES.charAt(known) + "/" + tag + "(" + PID + "): " + message);
            return message.length();
        }
        byte[] text = (tag + '\0' + message).getBytes(StandardCharsets.UTF_8);
        if (send(datagram(known, 0, text))) {
            return Math.min(text.length, MAX_PAYLOAD - 2);
        }
        lost.incrementAndGet();
        return TRY_AGAIN;
    }

    private ByteBuffer datagram(int priority, int buffer, byte[] text) {
        int length = Math.min(text.length, MAX_PAYLOAD - 2);
        Instant now = Instant.now();
        ByteBuffer entry =
                ByteBuffer.allocate(token.length + HEADER_BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
        entry.put(token);
        entry.put((byte) priority).putInt(PID).putInt(TID.get());
        entry.putLong(now.getEpochSecond() * 1_000_000_000 + now.getNano())
                .put((byte) buffer)
                .put(text, 0, length);
        entry.flip();
        return entry;
    }

    /** Returns the number of entries that could not be sent. */
    long lost() {
        return lost.get();
    }

    private synchronized boolean send(ByteBuffer entry) {
        // A channel closes if its thread is interrupted. The interrupt belongs to the test and must remain set.
        boolean interrupted = Thread.interrupted();
        try {
            if (channel == null || !channel.isOpen()) {
                channel = DatagramChannel.open();
                channel.configureBlocking(false);
                channel.connect(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port));
            }
            return channel.write(entry) > 0;
        } catch (IOException e) {
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static int kernelThreadId() {
        try (InputStream stat = new FileInputStream("/proc/thread-self/stat")) {
            byte[] start = new byte[16];
            int length = Math.max(0, stat.read(start));
            return leadingNumber(new String(start, 0, length, StandardCharsets.US_ASCII));
        } catch (IOException e) {
            return 0; // not on Linux
        }
    }

    private static int leadingNumber(String text) {
        int number = 0;
        for (int i = 0; i < text.length() && Character.isDigit(text.charAt(i)); i++) {
            number = number * 10 + text.charAt(i) - '0';
        }
        return number;
    }
}
