package org.navitas.hooks.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/**
 * Hooks of channels to files and to the network. Other channels, such as pipes and those of the app, pass through. A
 * connection that is not blocking can move no byte in a call.
 */
public final class ByteChannels {
    private static final int NONE = -1;

    private ByteChannels() {}

    /** Hook of {@link ReadableByteChannel#read}. */
    public static int read(ReadableByteChannel channel, ByteBuffer to) throws IOException {
        int api = readApi(channel);
        if (api == NONE) {
            return channel.read(to);
        }
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            int count = channel.read(to);
            bytes = Math.max(0, count);
            return count;
        } finally {
            received(api, start, bytes, channel);
        }
    }

    /** Hook of {@link ScatteringByteChannel#read(ByteBuffer[])}. */
    public static long read(ScatteringByteChannel channel, ByteBuffer[] to) throws IOException {
        return readApi(channel) == NONE ? channel.read(to) : read(channel, to, 0, to.length);
    }

    /** Hook of {@link ScatteringByteChannel#read(ByteBuffer[], int, int)}. */
    public static long read(ScatteringByteChannel channel, ByteBuffer[] to, int from, int length) throws IOException {
        int api = readApi(channel);
        if (api == NONE) {
            return channel.read(to, from, length);
        }
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            long count = channel.read(to, from, length);
            bytes = Math.max(0, count);
            return count;
        } finally {
            received(api, start, bytes, channel);
        }
    }

    /** Hook of {@link WritableByteChannel#write}. */
    public static int write(WritableByteChannel channel, ByteBuffer from) throws IOException {
        int api = writeApi(channel);
        if (api == NONE) {
            return channel.write(from);
        }
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            int count = channel.write(from);
            bytes = count;
            return count;
        } finally {
            sent(api, start, bytes, channel);
        }
    }

    /** Hook of {@link GatheringByteChannel#write(ByteBuffer[])}. */
    public static long write(GatheringByteChannel channel, ByteBuffer[] from) throws IOException {
        return writeApi(channel) == NONE ? channel.write(from) : write(channel, from, 0, from.length);
    }

    /** Hook of {@link GatheringByteChannel#write(ByteBuffer[], int, int)}. */
    public static long write(GatheringByteChannel channel, ByteBuffer[] from, int at, int length) throws IOException {
        int api = writeApi(channel);
        if (api == NONE) {
            return channel.write(from, at, length);
        }
        long start = Hook.begin(api);
        long bytes = Hook.FAILED;
        try {
            long count = channel.write(from, at, length);
            bytes = count;
            return count;
        } finally {
            sent(api, start, bytes, channel);
        }
    }

    /** Hook of {@link FileChannel#transferTo}: reads a file, and writes to the other channel's device. */
    public static long transferTo(FileChannel channel, long position, long most, WritableByteChannel target)
            throws IOException {
        long start = Hook.begin(Api.CHANNEL_TRANSFER);
        long bytes = Hook.FAILED;
        try {
            bytes = channel.transferTo(position, most, target);
            int api = writeApi(target);
            if (api != NONE) {
                sent(api, Hook.begin(api), bytes, target);
            }
            return bytes;
        } finally {
            Hook.end(Api.CHANNEL_TRANSFER, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(channel));
        }
    }

    /** Hook of {@link FileChannel#transferFrom}: reads from the other channel's device, and writes a file. */
    public static long transferFrom(FileChannel channel, ReadableByteChannel source, long position, long most)
            throws IOException {
        long start = Hook.begin(Api.CHANNEL_TRANSFER);
        long bytes = Hook.FAILED;
        try {
            bytes = channel.transferFrom(source, position, most);
            int api = readApi(source);
            if (api != NONE) {
                received(api, Hook.begin(api), bytes, source);
            }
            return bytes;
        } finally {
            Hook.end(Api.CHANNEL_TRANSFER, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(channel));
        }
    }

    /** Hook of {@link SocketChannel#open(SocketAddress)}. */
    public static SocketChannel open(SocketAddress address) throws IOException {
        SocketChannel opened = null;
        long start = Hook.begin(Api.NET_CHANNEL_CONNECT);
        try {
            opened = SocketChannel.open(address);
            return opened;
        } finally {
            sent(Api.NET_CHANNEL_CONNECT, start, opened == null ? Hook.FAILED : 0, opened);
        }
    }

    /** Hook of {@link DatagramChannel#receive}. */
    public static SocketAddress receive(DatagramChannel channel, ByteBuffer to) throws IOException {
        int before = to.position();
        long start = Hook.begin(Api.DATAGRAMS_RECEIVE);
        long bytes = Hook.FAILED;
        SocketAddress source = null;
        try {
            source = channel.receive(to);
            bytes = to.position() - before;
            return source;
        } finally {
            int kind = Peers.datagramReadKind(address(source));
            Hook.end(Api.DATAGRAMS_RECEIVE, start, kind, 0, bytes, System.identityHashCode(channel));
        }
    }

    static InetAddress address(SocketAddress end) {
        return end instanceof InetSocketAddress ? ((InetSocketAddress) end).getAddress() : null;
    }

    private static int readApi(ReadableByteChannel channel) {
        return channel instanceof FileChannel
                ? Api.CHANNEL_READ
                : channel instanceof SocketChannel
                        ? Api.NET_CHANNEL_READ
                        : channel instanceof DatagramChannel ? Api.DATAGRAMS_RECEIVE : NONE;
    }

    private static int writeApi(WritableByteChannel channel) {
        return channel instanceof FileChannel
                ? Api.CHANNEL_WRITE
                : channel instanceof SocketChannel
                        ? Api.NET_CHANNEL_WRITE
                        : channel instanceof DatagramChannel ? Api.DATAGRAMS_SEND : NONE;
    }

    private static void received(int api, long start, long bytes, Object channel) {
        int kind = channel instanceof FileChannel ? Hook.FILE_READ : Peers.readKind(channel);
        Hook.end(api, start, kind, 0, bytes, System.identityHashCode(channel));
    }

    static void sent(int api, long start, long bytes, Object channel) {
        int kind = channel instanceof FileChannel ? Hook.FILE_WRITE : Peers.writeKind(channel);
        Hook.end(api, start, kind, 0, bytes, System.identityHashCode(channel));
    }
}
