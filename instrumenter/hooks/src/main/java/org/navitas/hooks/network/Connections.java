package org.navitas.hooks.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLConnection;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.files.CountedInputStream;
import org.navitas.hooks.files.CountedOutputStream;
import org.navitas.runtime.Hook;

/**
 * Hooks of {@link URL} and {@link URLConnection}. Payload is counted; methods that wait for the server appear as calls
 * that connect. Connections to jars and the like pass through.
 */
public final class Connections {
    private Connections() {}

    /** Hook of {@link URLConnection#connect}. */
    public static void connect(URLConnection connection) throws IOException {
        if (!isNetwork(connection)) {
            connection.connect();
            return;
        }
        long start = Hook.begin(Api.URL_CONNECT);
        long done = Hook.FAILED;
        try {
            connection.connect();
            done = 0;
        } finally {
            connected(start, done, connection);
        }
    }

    /** Hook of {@link URLConnection#getInputStream}. */
    public static InputStream getInputStream(URLConnection connection) throws IOException {
        if (!isNetwork(connection)) {
            return input(connection.getInputStream(), connection);
        }
        long start = Hook.begin(Api.URL_CONNECT);
        long done = Hook.FAILED;
        try {
            InputStream in = input(connection.getInputStream(), connection);
            done = 0;
            return in;
        } finally {
            connected(start, done, connection);
        }
    }

    /** Hook of {@link URLConnection#getOutputStream}. */
    public static OutputStream getOutputStream(URLConnection connection) throws IOException {
        if (!isNetwork(connection)) {
            return connection.getOutputStream();
        }
        long start = Hook.begin(Api.URL_CONNECT);
        long done = Hook.FAILED;
        try {
            OutputStream out = CountedOutputStream.of(
                    connection.getOutputStream(), Api.URL_WRITE, Peers.writeKind(connection), connection);
            done = 0;
            return out;
        } finally {
            connected(start, done, connection);
        }
    }

    /** Hook of {@link HttpURLConnection#getResponseCode}. */
    public static int getResponseCode(HttpURLConnection connection) throws IOException {
        long start = Hook.begin(Api.URL_CONNECT);
        long done = Hook.FAILED;
        try {
            int code = connection.getResponseCode();
            done = 0;
            return code;
        } finally {
            connected(start, done, connection);
        }
    }

    /** Hook of {@link HttpURLConnection#getErrorStream}. */
    public static InputStream getErrorStream(HttpURLConnection connection) {
        return input(connection.getErrorStream(), connection);
    }

    /** Hook of {@link URLConnection#getContent()}. */
    public static Object getContent(URLConnection connection) throws IOException {
        if (!isNetwork(connection)) {
            return content(connection.getContent(), connection);
        }
        long start = Hook.begin(Api.URL_CONNECT);
        long done = Hook.FAILED;
        try {
            Object content = content(connection.getContent(), connection);
            done = 0;
            return content;
        } finally {
            connected(start, done, connection);
        }
    }

    /** Hook of {@link URL#openStream}. */
    public static InputStream openStream(URL url) throws IOException {
        return getInputStream(url.openConnection());
    }

    /** Hook of {@link URL#getContent()}. */
    public static Object getContent(URL url) throws IOException {
        return getContent(url.openConnection());
    }

    private static Object content(Object content, URLConnection connection) {
        return content instanceof InputStream ? input((InputStream) content, connection) : content;
    }

    private static InputStream input(InputStream in, URLConnection connection) {
        if (isNetwork(connection)) {
            return CountedInputStream.of(in, Api.URL_READ, Peers.readKind(connection), connection);
        }
        boolean isFile =
                connection.getURL() != null && "file".equals(connection.getURL().getProtocol());
        return isFile ? CountedInputStream.of(in, Api.URL_FILE_READ, Hook.FILE_READ, connection) : in;
    }

    private static boolean isNetwork(URLConnection connection) {
        return connection instanceof HttpURLConnection
                || connection.getURL() != null
                        && "ftp".equals(connection.getURL().getProtocol());
    }

    private static void connected(long start, long done, URLConnection connection) {
        Hook.end(Api.URL_CONNECT, start, Hook.NET_READ, 0, done, System.identityHashCode(connection));
    }
}
