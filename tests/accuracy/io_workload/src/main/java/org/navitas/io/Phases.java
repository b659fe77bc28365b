package org.navitas.io;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** What the lanes do. Each method is one row of the results; its name is in each request, and in each file's name. */
public final class Phases {
    private static final int SMALL_REQUEST = 24 << 10;
    private static final int BURST = 512 << 10;
    private final String host;
    private final int port;
    private final File folder;

    public Phases(String host, int port, File folder) {
        this.host = host;
        this.port = port;
        this.folder = folder;
    }

    public void downloadPage(int bytes) throws IOException {
        get("downloadPage", bytes, 8 << 10);
    }

    public void downloadParts(int bytes) throws IOException {
        for (int left = bytes; left > 0; left -= SMALL_REQUEST) {
            get("downloadParts", Math.min(left, SMALL_REQUEST), 1 << 10);
        }
    }

    public void downloadRaw(int bytes) throws IOException {
        try (Socket socket = new Socket(host, port)) {
            socket.getOutputStream().write(("RAW downloadRaw DOWN " + bytes + "\n").getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[16 << 10];
            int left = bytes;
            for (int count; left > 0 && (count = in.read(buffer)) > 0; ) left -= count;
            if (left != 0) throw new IOException(left + " bytes did not arrive");
        }
    }

    public void uploadForm(int bytes) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL("http", host, port, "/uploadForm").openConnection();
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(bytes);
        try (OutputStream out = connection.getOutputStream()) {
            send(out, bytes, 8 << 10);
        }
        if (connection.getResponseCode() != 200) throw new IOException("status " + connection.getResponseCode());
        connection.disconnect();
    }

    public void uploadRaw(int bytes) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSendBufferSize(64 << 10);
            socket.connect(new java.net.InetSocketAddress(host, port));
            OutputStream out = socket.getOutputStream();
            out.write(("RAW uploadRaw UP " + bytes + "\n").getBytes(StandardCharsets.US_ASCII));
            send(out, bytes, 16 << 10);
            if (socket.getInputStream().read() != '.') throw new IOException("the server did not confirm");
        }
    }

    public void writeStream(int bytes) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file("writeStream"), true)) {
            byte[] block = new byte[8 << 10];
            for (int left = bytes; left > 0; left -= block.length) {
                out.write(block, 0, Math.min(left, block.length));
                if (left % BURST < block.length) pause();
            }
        }
    }

    public void writeRandom(int bytes) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(file("writeRandom"), "rw")) {
            out.seek(out.length());
            byte[] block = new byte[4 << 10];
            for (int left = bytes; left > 0; left -= block.length) {
                out.write(block, 0, Math.min(left, block.length));
                if (left % BURST < block.length) pause();
            }
        }
    }

    public void writeChannel(int bytes) throws IOException {
        try (FileChannel out = FileChannel.open(
                file("writeChannel").toPath(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            ByteBuffer block = ByteBuffer.allocateDirect(16 << 10);
            for (int left = bytes; left > 0; left -= block.capacity()) {
                block.clear().limit(Math.min(left, block.capacity()));
                while (block.hasRemaining()) out.write(block);
                if (left % BURST < block.capacity()) pause();
            }
        }
    }

    public long hash(int rounds) {
        long value = rounds;
        for (int i = 0; i < rounds; i++) {
            for (int j = 0; j < 1000; j++) value = value * 6364136223846793005L + (value >>> 29) + j;
        }
        return value;
    }

    public int sort(int rounds) {
        int[] values = new int[1000];
        int sum = 0;
        for (int i = 0; i < rounds / 20; i++) {
            for (int j = 0; j < values.length; j++) values[j] = (j * 7919 + i * 104729) % 10007;
            Arrays.sort(values);
            sum += values[500];
        }
        return sum;
    }

    public void rest(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private File file(String method) {
        return new File(folder, method + ".bin");
    }

    /** Waits as an app does that makes the next part of its data. */
    private static void pause() throws IOException {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void get(String method, int bytes, int buffer) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) new URL("http", host, port, "/" + method + "/" + bytes).openConnection();
        int left = bytes;
        try (InputStream in = connection.getInputStream()) {
            byte[] block = new byte[buffer];
            for (int count; (count = in.read(block)) > 0; ) left -= count;
        }
        connection.disconnect();
        if (left != 0) throw new IOException(left + " bytes did not arrive");
    }

    private static void send(OutputStream out, int bytes, int buffer) throws IOException {
        byte[] block = new byte[buffer];
        for (int left = bytes; left > 0; left -= buffer) out.write(block, 0, Math.min(left, buffer));
    }
}
