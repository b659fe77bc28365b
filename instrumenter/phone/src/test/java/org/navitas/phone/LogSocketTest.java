package org.navitas.phone;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.After;
import org.junit.Test;

public class LogSocketTest {
    private static final byte[] TOKEN = {0, -1, 127, -128};
    private final DatagramSocket daemon;
    private final LogSocket log;

    public LogSocketTest() throws Exception {
        daemon = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"));
        daemon.setSoTimeout(10_000);
        File address = File.createTempFile("navitas-log", "");
        try {
            Files.write(address.toPath(), (daemon.getLocalPort() + " 00ff7f80\n").getBytes(StandardCharsets.US_ASCII));
            log = LogSocket.open(address.getPath());
        } finally {
            assertTrue(address.delete());
        }
    }

    @After
    public void close() {
        daemon.close();
    }

    private ByteBuffer received() throws Exception {
        DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
        daemon.receive(packet);
        assertArrayEquals("the token", TOKEN, Arrays.copyOf(packet.getData(), TOKEN.length));
        return ByteBuffer.wrap(packet.getData(), TOKEN.length, packet.getLength() - TOKEN.length)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String text(ByteBuffer entry) {
        entry.position(18);
        return StandardCharsets.UTF_8.decode(entry).toString();
    }

    @Test
    public void entryIsOneDatagram() throws Exception {
        long before = System.currentTimeMillis();
        assertEquals(9, log.entry(5, "tag", "grün"));
        ByteBuffer entry = received();
        assertEquals(5, entry.get());
        assertEquals(ManagementFactory.getRuntimeMXBean().getName().split("@")[0], Integer.toString(entry.getInt()));
        entry.getInt();
        long time = entry.getLong();
        assertTrue(time / 1_000_000 >= before && time / 1_000_000 <= System.currentTimeMillis());
        assertEquals(0, entry.get());
        assertEquals("tag\0grün", text(entry));
    }

    @Test
    public void cutsLongEntryLikeAndroid() throws Exception {
        log.entry(4, "tag", new String(new char[10_000]).replace('\0', 'x'));
        assertEquals("priority, text and a NUL", 4068, 1 + text(received()).length() + 1);
    }

    @Test
    public void interruptedThreadLogsAndStaysInterrupted() throws Exception {
        Thread.currentThread().interrupt();
        assertTrue(log.entry(4, "tag", "one") > 0);
        assertTrue(Thread.interrupted());
        assertEquals("tag\0one", text(received()));
        assertTrue(log.entry(4, "tag", "two") > 0);
        assertEquals("tag\0two", text(received()));
    }

    @Test
    public void countsLostEntriesWithoutDaemon() {
        daemon.close();
        for (int i = 0; i < 50 && log.lost() == 0; i++) {
            log.entry(4, "tag", "message");
        }
        assertTrue(log.lost() > 0);
    }
}
