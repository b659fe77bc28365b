package org.navitas.hooks.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Socket;
import java.net.SocketAddress;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.files.CountedInputStream;
import org.navitas.hooks.files.CountedOutputStream;
import org.navitas.runtime.Hook;

/** Hooks of {@link Socket}, also with encryption, where the payload is counted, and of {@link DatagramSocket}. */
public final class Sockets {
    private Sockets() {}

    /** Hook of {@link Socket#getInputStream}. */
    public static InputStream getInputStream(Socket socket) throws IOException {
        return CountedInputStream.of(socket.getInputStream(), Api.SOCKET_READ, Peers.readKind(socket), socket);
    }

    /** Hook of {@link Socket#getOutputStream}. */
    public static OutputStream getOutputStream(Socket socket) throws IOException {
        return CountedOutputStream.of(socket.getOutputStream(), Api.SOCKET_WRITE, Peers.writeKind(socket), socket);
    }

    /** Hook of {@link Socket#connect(SocketAddress)}. */
    public static void connect(Socket socket, SocketAddress address) throws IOException {
        long start = Hook.begin(Api.SOCKET_CONNECT);
        long done = Hook.FAILED;
        try {
            socket.connect(address);
            done = 0;
        } finally {
            Hook.end(Api.SOCKET_CONNECT, start, Hook.NET_WRITE, 0, done, System.identityHashCode(socket));
        }
    }

    /** Hook of {@link Socket#connect(SocketAddress, int)}. */
    public static void connect(Socket socket, SocketAddress address, int timeoutMs) throws IOException {
        long start = Hook.begin(Api.SOCKET_CONNECT);
        long done = Hook.FAILED;
        try {
            socket.connect(address, timeoutMs);
            done = 0;
        } finally {
            Hook.end(Api.SOCKET_CONNECT, start, Hook.NET_WRITE, 0, done, System.identityHashCode(socket));
        }
    }

    /** Hook of {@link DatagramSocket#send}. */
    public static void send(DatagramSocket socket, DatagramPacket packet) throws IOException {
        long start = Hook.begin(Api.DATAGRAM_SEND);
        long bytes = Hook.FAILED;
        try {
            socket.send(packet);
            bytes = packet.getLength();
        } finally {
            Hook.end(Api.DATAGRAM_SEND, start, Peers.datagramWriteKind(packet.getAddress()), 0, bytes, System.identityHashCode(socket));
        }
    }

    /** Hook of {@link DatagramSocket#receive}. */
    public static void receive(DatagramSocket socket, DatagramPacket packet) throws IOException {
        long start = Hook.begin(Api.DATAGRAM_RECEIVE);
        long bytes = Hook.FAILED;
        try {
            socket.receive(packet);
            bytes = packet.getLength();
        } finally {
            Hook.end(Api.DATAGRAM_RECEIVE, start, Peers.datagramReadKind(packet.getAddress()), 0, bytes, System.identityHashCode(socket));
        }
    }
}
