package org.navitas.hooks.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.files.CountedInputStream;
import org.navitas.hooks.files.CountedOutputStream;

/** Hooks of the streams of {@link Socket}, also with encryption, where the payload is counted. */
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
}
