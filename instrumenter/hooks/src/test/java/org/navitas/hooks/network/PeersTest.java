package org.navitas.hooks.network;

import static org.junit.Assert.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.Test;
import org.navitas.hooks.Recorded;
import org.navitas.runtime.Hook;

/** Bytes within the device have kinds of their own. */
public class PeersTest {
    /** A socket that is connected to an address, or whose address is unknown. */
    private static final class Remote extends Socket {
        private final String peer;
        private final String own;

        Remote(String peer, String own) {
            this.peer = peer;
            this.own = own;
        }

        @Override
        public InetAddress getInetAddress() {
            return address(peer);
        }

        @Override
        public InetAddress getLocalAddress() {
            return address(own);
        }

        @Override
        public InputStream getInputStream() {
            return new ByteArrayInputStream(new byte[7]);
        }

        private static InetAddress address(String text) {
            if (text == null) {
                throw new UnsupportedOperationException();
            }
            try {
                return InetAddress.getByName(text);
            } catch (java.net.UnknownHostException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A connection to a host. */
    private static final class Page extends HttpURLConnection {
        private final boolean hasProxy;

        Page(String url, boolean hasProxy) throws Exception {
            super(new URL(url));
            this.hasProxy = hasProxy;
        }

        @Override
        public boolean usingProxy() {
            return hasProxy;
        }

        @Override
        public InputStream getInputStream() {
            return new ByteArrayInputStream(new byte[7]);
        }

        @Override
        public void connect() {}

        @Override
        public void disconnect() {}
    }

    private static int kindOf(InputStream in) throws Exception {
        Recorded<Integer> recorded = Recorded.of(() -> in.read(new byte[10]));
        assertEquals(1, recorded.uses.size());
        assertEquals(7, recorded.uses.get(0).amount);
        return recorded.uses.get(0).kind;
    }

    private static int kindOf(String peer, String own) throws Exception {
        return kindOf(Sockets.getInputStream(new Remote(peer, own)));
    }

    private static int kindOf(String url, boolean hasProxy) throws Exception {
        return kindOf(Connections.getInputStream(new Page(url, hasProxy)));
    }

    @Test
    public void aPeerWithTheDevicesOwnAddressIsOnIt() throws Exception {
        assertEquals(Hook.LOOPBACK_READ, kindOf("127.0.0.1", "127.0.0.1"));
        assertEquals(Hook.LOOPBACK_READ, kindOf("::1", "::1"));
        assertEquals(Hook.LOOPBACK_READ, kindOf("192.0.2.5", "192.0.2.5"));
        assertEquals(Hook.NET_READ, kindOf("192.0.2.7", "192.0.2.5"));
        assertEquals(Hook.NET_READ, kindOf(null, null));
    }

    @Test
    public void aConnectionGoesByItsHost() throws Exception {
        for (String host :
                new String[] {"localhost", "LOCALHOST:8080", "api.localhost", "127.0.0.1", "127.3.2.1:99", "[::1]:80"
                }) {
            assertEquals(host, Hook.LOOPBACK_READ, kindOf("http://" + host + "/", false));
        }
        for (String host :
                new String[] {"127.example.com", "localhost.example.com", "mylocalhost", "192.0.2.1", "[::2]"}) {
            assertEquals(host, Hook.NET_READ, kindOf("http://" + host + "/", false));
        }
        assertEquals(Hook.NET_READ, kindOf("http://localhost/", true));
    }

    @Test
    public void bothEndsOfAConnectionWithinTheProcessAreHere() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, here);
                Socket client = new Socket(here, server.getLocalPort());
                Socket accepted = server.accept()) {
            Recorded<Integer> recorded = Recorded.of(() -> {
                try (OutputStream out = Sockets.getOutputStream(accepted)) {
                    out.write(new byte[5]);
                }
                return Sockets.getInputStream(client).read();
            });
            assertEquals(5, recorded.bytes(Hook.LOOPBACK_WRITE));
            assertEquals(1, recorded.bytes(Hook.LOOPBACK_READ));
        }
    }

    @Test
    public void channelsAndDatagramsGoByTheirPeer() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(any);
                SocketChannel client = SocketChannel.open(server.getLocalAddress());
                DatagramSocket from = new DatagramSocket(any);
                DatagramChannel to = DatagramChannel.open().bind(any)) {
            Recorded<Integer> recorded = Recorded.of(() -> {
                ByteChannels.write(client, ByteBuffer.allocate(30));
                SocketCalls.send(from, new DatagramPacket(new byte[40], 40, to.getLocalAddress()));
                ByteChannels.receive(to, ByteBuffer.allocate(100));
                to.connect(from.getLocalSocketAddress());
                return ByteChannels.write(to, ByteBuffer.allocate(2));
            });
            assertEquals(30 + 40 + 2, recorded.bytes(Hook.LOOPBACK_WRITE));
            assertEquals(40, recorded.bytes(Hook.LOOPBACK_READ));
            assertEquals(0, recorded.bytes(Hook.NET_WRITE) + recorded.bytes(Hook.NET_READ));
        }
    }
}
