package org.navitas.hooks.files;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.CopyOption;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of {@link Files}. Methods for text use counted streams, as the platform's use its own. */
@NewerPlatform
public final class PathCalls {
    private PathCalls() {}

    /** Hook of {@link Files#newInputStream}. */
    public static InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        InputStream in = Files.newInputStream(path, options);
        return CountedInputStream.of(in, Api.FILES_READ, Hook.FILE_READ, in);
    }

    /** Hook of {@link Files#newOutputStream}. */
    public static OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
        OutputStream out = Files.newOutputStream(path, options);
        return CountedOutputStream.of(out, Api.FILES_WRITE, Hook.FILE_WRITE, out);
    }

    /** Hook of {@link Files#newBufferedReader(Path)}. */
    public static BufferedReader newBufferedReader(Path path) throws IOException {
        return newBufferedReader(path, StandardCharsets.UTF_8);
    }

    /** Hook of {@link Files#newBufferedReader(Path, Charset)}. */
    public static BufferedReader newBufferedReader(Path path, Charset charset) throws IOException {
        return new BufferedReader(new InputStreamReader(newInputStream(path), charset.newDecoder()));
    }

    /** Hook of {@link Files#newBufferedWriter(Path, OpenOption...)}. */
    public static BufferedWriter newBufferedWriter(Path path, OpenOption... options) throws IOException {
        return newBufferedWriter(path, StandardCharsets.UTF_8, options);
    }

    /** Hook of {@link Files#newBufferedWriter(Path, Charset, OpenOption...)}. */
    public static BufferedWriter newBufferedWriter(Path path, Charset charset, OpenOption... options)
            throws IOException {
        return new BufferedWriter(new OutputStreamWriter(newOutputStream(path, options), charset.newEncoder()));
    }

    /** Hook of {@link Files#readAllBytes}. */
    public static byte[] readAllBytes(Path path) throws IOException {
        long start = Hook.begin(Api.FILES_READ);
        long bytes = Hook.FAILED;
        try {
            byte[] read = Files.readAllBytes(path);
            bytes = read.length;
            return read;
        } finally {
            Hook.end(Api.FILES_READ, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(path));
        }
    }

    /** Hook of {@link Files#readAllLines(Path)}. */
    public static List<String> readAllLines(Path path) throws IOException {
        return readAllLines(path, StandardCharsets.UTF_8);
    }

    /** Hook of {@link Files#readAllLines(Path, Charset)}. */
    public static List<String> readAllLines(Path path, Charset charset) throws IOException {
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = newBufferedReader(path, charset)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        }
        return lines;
    }

    /** Hook of {@link Files#lines(Path)}. */
    public static Stream<String> lines(Path path) throws IOException {
        return lines(path, StandardCharsets.UTF_8);
    }

    /** Hook of {@link Files#lines(Path, Charset)}. */
    public static Stream<String> lines(Path path, Charset charset) throws IOException {
        BufferedReader reader = newBufferedReader(path, charset);
        // Not a lambda: older dexers cannot take it.
        return reader.lines().onClose(new Runnable() {
            @Override
            public void run() {
                try {
                    reader.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    /** Hook of {@code Files.readString(Path)} of newer platforms. */
    public static String readString(Path path) throws IOException {
        return readString(path, StandardCharsets.UTF_8);
    }

    /** Hook of {@code Files.readString(Path, Charset)} of newer platforms. */
    public static String readString(Path path, Charset charset) throws IOException {
        Charset checked = Charsets.of(charset);
        return checked.newDecoder().decode(ByteBuffer.wrap(readAllBytes(path))).toString();
    }

    /** Hook of {@link Files#write(Path, byte[], OpenOption...)}. */
    public static Path write(Path path, byte[] from, OpenOption... options) throws IOException {
        long start = Hook.begin(Api.FILES_WRITE);
        long bytes = Hook.FAILED;
        try {
            Path written = Files.write(path, from, options);
            bytes = from.length;
            return written;
        } finally {
            Hook.end(Api.FILES_WRITE, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(path));
        }
    }

    /** Hook of {@link Files#write(Path, Iterable, OpenOption...)}. */
    public static Path write(Path path, Iterable<? extends CharSequence> lines, OpenOption... options)
            throws IOException {
        return write(path, lines, StandardCharsets.UTF_8, options);
    }

    /** Hook of {@link Files#write(Path, Iterable, Charset, OpenOption...)}. */
    public static Path write(Path path, Iterable<? extends CharSequence> lines, Charset charset, OpenOption... options)
            throws IOException {
        if (lines == null) {
            throw new NullPointerException("lines");
        }
        try (BufferedWriter writer = newBufferedWriter(path, charset, options)) {
            for (CharSequence line : lines) {
                writer.append(line);
                writer.newLine();
            }
        }
        return path;
    }

    /** Hook of {@code Files.writeString(Path, CharSequence, OpenOption...)} of newer platforms. */
    public static Path writeString(Path path, CharSequence text, OpenOption... options) throws IOException {
        return writeString(path, text, StandardCharsets.UTF_8, options);
    }

    /** Hook of {@code Files.writeString(Path, CharSequence, Charset, OpenOption...)} of newer platforms. */
    public static Path writeString(Path path, CharSequence text, Charset charset, OpenOption... options)
            throws IOException {
        ByteBuffer encoded = Charsets.of(charset).newEncoder().encode(CharBuffer.wrap(text));
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return write(path, bytes, options);
    }

    /** Hook of {@link Files#copy(Path, Path, CopyOption...)}: reads one file, and writes the other. */
    public static Path copy(Path source, Path target, CopyOption... options) throws IOException {
        long start = Hook.begin(Api.FILES_COPY);
        long bytes = Hook.FAILED;
        try {
            Path copied = Files.copy(source, target, options);
            bytes = Files.isRegularFile(target) ? Files.size(target) : 0;
            long written = Hook.begin(Api.FILES_WRITE);
            Hook.end(Api.FILES_WRITE, written, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(target));
            return copied;
        } finally {
            Hook.end(Api.FILES_COPY, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(source));
        }
    }

    /** Hook of {@link Files#copy(InputStream, Path, CopyOption...)}. */
    public static long copy(InputStream in, Path target, CopyOption... options) throws IOException {
        long start = Hook.begin(Api.FILES_COPY);
        long bytes = Hook.FAILED;
        try {
            bytes = Files.copy(in, target, options);
            return bytes;
        } finally {
            Hook.end(Api.FILES_COPY, start, Hook.FILE_WRITE, 0, bytes, System.identityHashCode(target));
        }
    }

    /** Hook of {@link Files#copy(Path, OutputStream)}. */
    public static long copy(Path source, OutputStream out) throws IOException {
        long start = Hook.begin(Api.FILES_COPY);
        long bytes = Hook.FAILED;
        try {
            bytes = Files.copy(source, out);
            return bytes;
        } finally {
            Hook.end(Api.FILES_COPY, start, Hook.FILE_READ, 0, bytes, System.identityHashCode(source));
        }
    }
}
