package org.navitas.instrument.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.zip.ZipException;

/** File access and hashes. */
public final class Io {
    private static final int MAX_BYTES = 64 << 20;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private Io() {}

    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    public static String sha256Hex(byte[] bytes) {
        return hex(sha256().digest(bytes));
    }

    public static String sha256Hex(String text) {
        return sha256Hex(text.getBytes(StandardCharsets.UTF_8));
    }

    public static String sha256Hex(Path file) throws IOException {
        MessageDigest digest = sha256();
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
        }
        return hex(digest.digest());
    }

    public static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            text.append(HEX[b >> 4 & 15]).append(HEX[b & 15]);
        }
        return text.toString();
    }

    /**
     * Reads to the end. Fails above 64 MB, so that a corrupt file cannot fill memory; real class files are far smaller.
     */
    public static byte[] read(InputStream in) throws IOException {
        byte[] bytes = new byte[1 << 13];
        int size = 0;
        for (int n = in.read(bytes, 0, bytes.length); n >= 0; n = in.read(bytes, size, bytes.length - size)) {
            size += n;
            if (size > MAX_BYTES) {
                throw new IOException("larger than " + (MAX_BYTES >> 20) + " MB");
            }
            if (size == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * size);
            }
        }
        return Arrays.copyOf(bytes, size);
    }

    /** Replaces a file atomically, so that no reader sees half of it. */
    public static void writeAtomically(Path file, byte[] bytes) throws IOException {
        createParent(file);
        Path temporary = temporaryFor(file);
        Files.write(temporary, bytes);
        replaceFile(temporary, file);
    }

    public static Path temporaryFor(Path file) {
        return file.resolveSibling(file.getFileName() + ".tmp");
    }

    public static void replaceFile(Path temporary, Path file) throws IOException {
        try {
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    public static void createParent(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
    }

    /** Returns the text as one line that is safe to print: control, format and line-separator characters are escaped. */
    public static String printable(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        for (int i = 0, c; i < text.length(); i += Character.charCount(c)) {
            c = text.codePointAt(i);
            switch (Character.getType(c)) {
                case Character.CONTROL:
                case Character.FORMAT:
                case Character.SURROGATE:
                case Character.LINE_SEPARATOR:
                case Character.PARAGRAPH_SEPARATOR:
                    shown.append(String.format("\\u%04x", c));
                    break;
                default:
                    shown.appendCodePoint(c);
            }
        }
        return shown.toString();
    }

    /** Reads a regular file. Refuses others: a pipe can block, and a device can be endless. */
    public static byte[] readRegular(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("not a regular file");
        }
        return Files.readAllBytes(file);
    }

    /** Creates an error that names the file and describes the cause. */
    public static InstrumentException failure(String where, IOException e) {
        return new InstrumentException(where + ": " + reason(e), e);
    }

    private static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        } else if (e instanceof AccessDeniedException) {
            return "permission denied";
        } else if (e instanceof FileSystemLoopException) {
            return "the link " + ((FileSystemLoopException) e).getFile() + " leads to a folder that contains it";
        } else if (e instanceof FileSystemException && ((FileSystemException) e).getReason() != null) {
            return ((FileSystemException) e).getReason();
        } else if (e instanceof ZipException) {
            return "not a readable jar (" + e.getMessage() + ")";
        }
        return String.valueOf(e.getMessage());
    }
}
