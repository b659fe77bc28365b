package scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Uses a server that echoes lines on its first port, and one that speaks HTTP on its second. Returns what it sees. */
public class NetUse implements Function<int[], List<String>> {
    private List<String> seen;

    @Override
    public List<String> apply(int[] ports) {
        seen = new ArrayList<>();
        try {
            socket(ports[0]);
            channel(ports[0]);
            http(ports[1]);
            datagrams();
            refused();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return seen;
    }

    private void see(Object value) {
        seen.add(String.valueOf(value));
    }

    private void socket(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 5000);
            socket.setSoTimeout(100);
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            try {
                see(in.read());
            } catch (SocketTimeoutException e) {
                see("timeout");
            }
            socket.setSoTimeout(5000);
            out.write("0123456789".getBytes("US-ASCII"));
            out.write('\n');
            out.flush();
            see(in.read());
            byte[] some = new byte[4];
            int first = 0;
            while (first < 3) {
                first += in.read(some, 1 + first, 3 - first);
            }
            see(new String(some, 1, 3, "US-ASCII"));
            long rest = 0;
            while (rest < 2) {
                rest += in.skip(2 - rest);
            }
            see(in.read());
            while (rest < 6) {
                rest += in.read(some, 0, (int) Math.min(4, 6 - rest));
            }
            see(rest);
            socket.shutdownOutput();
            see(in.read() + " " + in.read(some) + " " + in.markSupported());
        }
    }

    private void channel(int port) throws IOException {
        try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
            see(channel.write(ByteBuffer.wrap("abcdef\n".getBytes("US-ASCII"))));
            channel.write(
                    new ByteBuffer[] {ByteBuffer.wrap("gh".getBytes("US-ASCII")), ByteBuffer.wrap(new byte[] {'\n'})});
            ByteBuffer to = ByteBuffer.allocate(10);
            while (to.hasRemaining()) {
                channel.read(to);
            }
            channel.shutdownOutput();
            see(channel.read(ByteBuffer.allocate(3)));
        }
    }

    private void http(int port) throws IOException {
        URL url = new URL("http://127.0.0.1:" + port + "/");
        HttpURLConnection get = (HttpURLConnection) url.openConnection();
        see(get.getResponseCode());
        see(drained(get.getInputStream()));
        HttpURLConnection post = (HttpURLConnection) url.openConnection();
        post.setDoOutput(true);
        post.setFixedLengthStreamingMode(1234);
        try (OutputStream out = post.getOutputStream()) {
            out.write(new byte[1234]);
        }
        see(post.getResponseCode() + " " + drained(post.getInputStream()));
        HttpURLConnection missing = (HttpURLConnection) new URL(url, "/missing").openConnection();
        try {
            missing.getInputStream();
        } catch (IOException e) {
            see(e.getClass().getSimpleName() + " " + drained(missing.getErrorStream()));
        }
        try (InputStream in = url.openStream()) {
            see(drained(in));
        }
    }

    private static int drained(InputStream in) throws IOException {
        int count = 0;
        byte[] some = new byte[1000];
        for (int n = in.read(some); n >= 0; n = in.read(some)) {
            count += n;
        }
        return count;
    }

    private void datagrams() throws IOException {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        try (DatagramSocket from = new DatagramSocket(0, here);
                DatagramChannel to = DatagramChannel.open()) {
            to.bind(new InetSocketAddress(here, 0));
            from.send(new DatagramPacket(new byte[40], 30, to.getLocalAddress()));
            ByteBuffer buffer = ByteBuffer.allocate(100);
            see(to.receive(buffer).equals(from.getLocalSocketAddress()));
            see(buffer.position());
            see(to.send(ByteBuffer.wrap(new byte[20]), from.getLocalSocketAddress()));
            DatagramPacket packet = new DatagramPacket(new byte[100], 100);
            from.receive(packet);
            see(packet.getLength());
        }
    }

    private void refused() throws IOException {
        int port;
        try (java.net.ServerSocket server = new java.net.ServerSocket(0)) {
            port = server.getLocalPort();
        }
        try {
            new Socket().connect(new InetSocketAddress("127.0.0.1", port));
        } catch (java.net.ConnectException e) {
            see("refused");
        }
    }
}
