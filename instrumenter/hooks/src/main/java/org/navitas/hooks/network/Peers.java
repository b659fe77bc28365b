package org.navitas.hooks.network;

import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import org.navitas.runtime.Hook;

/**
 * Kinds of the bytes of connections: those to another program of the same device cross no radio. Without records, and if
 * the other end is unknown, bytes are those of the network. Never throws.
 */
final class Peers {
    private static final String LOOPBACK_NAME = "(?i)(.+\\.)?localhost|ip6-localhost|127(\\.\\d{1,3}){3}|\\[?::1]?";

    private Peers() {}

    static int readKind(Socket socket) {
        return read(isHere(socket));
    }

    static int writeKind(Socket socket) {
        return write(isHere(socket));
    }

    static int readKind(URLConnection connection) {
        return read(isHere(connection));
    }

    static int writeKind(URLConnection connection) {
        return write(isHere(connection));
    }

    /** As {@link #readKind(Socket)}, for a {@link SocketChannel}, or a {@link DatagramChannel} that is connected. */
    static int readKind(Object channel) {
        return read(isHere(channel));
    }

    static int writeKind(Object channel) {
        return write(isHere(channel));
    }

    /** Returns the kind of a datagram from an address or null. */
    static int datagramReadKind(InetAddress from) {
        return read(Hook.records() && from != null && from.isLoopbackAddress());
    }

    /** Returns the kind of a datagram to an address or null. */
    static int datagramWriteKind(InetAddress to) {
        return write(Hook.records() && to != null && to.isLoopbackAddress());
    }

    private static int read(boolean isHere) {
        return isHere ? Hook.LOOPBACK_READ : Hook.NET_READ;
    }

    private static int write(boolean isHere) {
        return isHere ? Hook.LOOPBACK_WRITE : Hook.NET_WRITE;
    }

    private static boolean isHere(Object channel) {
        if (!Hook.records()) {
            return false;
        }
        if (channel instanceof DatagramChannel) {
            return isHere((DatagramChannel) channel);
        }
        if (!(channel instanceof SocketChannel)) {
            return false;
        }
        Boolean known = NetworkTables.get().channels.get(channel);
        if (known == null && ((SocketChannel) channel).isConnected()) {
            known = stays((SocketChannel) channel);
            NetworkTables.get().channels.put(channel, known);
        }
        return known != null && known;
    }

    private static boolean isHere(DatagramChannel channel) {
        try {
            InetAddress peer = channel.socket().getInetAddress();
            return peer != null && peer.isLoopbackAddress();
        } catch (RuntimeException e) {
            return false; // a channel of the app's own class
        }
    }

    private static boolean stays(SocketChannel channel) {
        try {
            return isHere(channel.socket());
        } catch (UnsupportedOperationException e) {
            return true; // a Unix domain socket
        }
    }

    /** A connection to an address of the device itself is within it, too, even if it is not the loopback address. */
    private static boolean isHere(Socket socket) {
        if (!Hook.records()) {
            return false;
        }
        try {
            InetAddress peer = socket.getInetAddress();
            return peer != null
                    && (peer.isLoopbackAddress() || peer.equals(socket.getLocalAddress()))
                    && Hook.staysOnDevice(socket.getLocalPort(), socket.getPort());
        } catch (RuntimeException e) {
            return false; // a socket of the app's own class
        }
    }

    /** Goes by the name of the host, since a hook must not ask for its address. */
    private static boolean isHere(URLConnection connection) {
        if (!Hook.records()) {
            return false;
        }
        try {
            URL url = connection.getURL();
            boolean hasProxy = connection instanceof HttpURLConnection && ((HttpURLConnection) connection).usingProxy();
            return !hasProxy
                    && url != null
                    && url.getHost().matches(LOOPBACK_NAME)
                    && Hook.staysOnDevice(0, url.getPort() < 0 ? url.getDefaultPort() : url.getPort());
        } catch (RuntimeException e) {
            return false; // a connection of the app's own class
        }
    }
}
