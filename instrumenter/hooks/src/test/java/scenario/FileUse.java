package scenario;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.UnsupportedEncodingException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Uses files in all ways that have hooks. Returns what it sees, and the numbers of bytes that it reads and writes. */
public class FileUse implements Function<File, List<String>> {
    /** Bytes that {@link #apply} moved, by its own account. */
    public long read;

    public long written;
    private List<String> seen;

    @Override
    public List<String> apply(File folder) {
        seen = new ArrayList<>();
        try {
            streams(new File(folder, "streams"));
            random(new File(folder, "random"));
            text(new File(folder, "text"));
            printers(new File(folder, "printed"));
            channels(new File(folder, "channel").toPath());
            paths(new File(folder, "path").toPath());
            failures(new File(folder, "none"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return seen;
    }

    private void see(Object value) {
        seen.add(String.valueOf(value));
    }

    private void streams(File file) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file)) {
            out.write(1);
            out.write(new byte[] {2, 3});
            out.write(new byte[] {4, 5, 6, 7}, 1, 2);
            out.getFD().sync();
        }
        try (OutputStream out = new FileOutputStream(file.getPath(), true)) {
            out.write(new byte[100]);
        }
        written += 105;
        try (FileInputStream in = new FileInputStream(file)) {
            see(in.available());
            see(in.read());
            byte[] some = new byte[4];
            see(in.read(some) + Arrays.toString(some));
            see(in.read(some, 3, 1));
            see(in.skip(90));
            see(in.markSupported());
            see(in.read(new byte[50]));
            see(in.read() + " " + in.read(some));
            read += 1 + 4 + 1 + 9;
        }
        try (InputStream in = new BufferedInputStream(new FileInputStream(file.getPath()))) {
            in.mark(10);
            see(in.read());
            in.reset();
            int count = 0;
            while (in.read() >= 0) {
                count++;
            }
            see(count);
            read += 105;
        }
        FileInputStream closed = new FileInputStream(file);
        closed.close();
        try {
            closed.read();
        } catch (IOException e) {
            see(e.getClass() + " " + e.getMessage());
        }
    }

    private void random(File file) throws IOException {
        try (RandomAccessFile both = new RandomAccessFile(file, "rw")) {
            both.write(7);
            both.writeInt(0x01020304);
            both.writeLong(-2);
            both.writeUTF("né");
            both.writeBytes("bytes\n");
            both.writeChars("ab");
            both.write(new byte[3]);
            written += 1 + 4 + 8 + 5 + 6 + 4 + 3;
            see(both.length());
            both.seek(0);
            see(both.read());
            see(both.readInt());
            see(both.readLong());
            see(both.readUTF());
            see(both.readLine());
            see(both.readChar() + "" + both.readChar());
            byte[] rest = new byte[10];
            see(both.read(rest));
            see(both.read());
            read += 31;
        }
    }

    private void text(File file) throws IOException {
        try (FileWriter out = new FileWriter(file)) {
            out.write("one\n");
            out.write('x');
            out.append("yz").append('!').append("12345", 1, 3);
            out.flush();
            see(file.length());
            see(out.getEncoding());
        }
        try (BufferedWriter out = new BufferedWriter(new FileWriter(file.getPath(), true))) {
            out.write("two\n");
        }
        written += 4 + 1 + 2 + 1 + 2 + 4;
        try (BufferedReader in = new BufferedReader(new FileReader(file))) {
            see(in.readLine() + in.readLine() + in.readLine());
        }
        try (FileReader in = new FileReader(file.getPath())) {
            see(in.ready() + " " + in.read() + " " + in.skip(2) + " " + in.getEncoding() + in.markSupported());
        }
        read += 14 + 14;
    }

    private void printers(File file) throws IOException {
        try (PrintWriter out = new PrintWriter(file)) {
            out.println("line");
            out.printf("%d", 5);
            see(out.checkError());
        }
        see(file.length());
        try (PrintWriter out = new PrintWriter(file.getPath(), "UTF-16BE")) {
            out.print("ab");
        }
        see(file.length());
        try (PrintStream out = new PrintStream(file, "UTF-8")) {
            out.print("é");
            out.write(3);
        }
        written += 6 + 4 + 3;
        try {
            new PrintWriter(new File(file.getPath() + "-none"), "no-such-charset");
        } catch (UnsupportedEncodingException e) {
            see(e.getMessage() + new File(file.getPath() + "-none").exists());
        }
        PrintWriter plain = new PrintWriter(new java.io.StringWriter());
        plain.print("x");
        see(plain.checkError());
    }

    private void channels(Path path) throws IOException {
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            see(channel.write(ByteBuffer.wrap(new byte[10])));
            see(channel.write(new ByteBuffer[] {ByteBuffer.allocate(3), ByteBuffer.allocate(4)}));
            see(channel.write(ByteBuffer.allocate(2), 20));
            written += 19;
            channel.force(true);
            see(channel.read(ByteBuffer.allocate(50), 2));
            channel.position(0);
            see(channel.read(ByteBuffer.allocate(5)));
            see(channel.read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(2)}, 0, 2));
            read += 20 + 5 + 3;
            see(channel.map(FileChannel.MapMode.READ_ONLY, 0, 4).get());
            Path copy = path.resolveSibling("channel-copy");
            try (FileChannel target = FileChannel.open(copy, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                see(channel.transferTo(0, 6, target));
                channel.position(0);
                see(target.transferFrom(channel, 6, 7));
            }
            read += 13;
            written += 13;
            channel.position(22);
            see(channel.read(ByteBuffer.allocate(5)));
        }
        try (java.nio.channels.SeekableByteChannel channel = Files.newByteChannel(path)) {
            see(channel.read(ByteBuffer.allocate(100)));
            read += 22;
        }
    }

    private void paths(Path path) throws IOException {
        see(Files.write(path, "a\nbc\n".getBytes(StandardCharsets.UTF_8)).equals(path));
        Files.write(path, Arrays.asList("d", "e"), StandardOpenOption.APPEND);
        try (BufferedWriter out = Files.newBufferedWriter(path, StandardOpenOption.APPEND)) {
            out.write("f\n");
        }
        try (OutputStream out = Files.newOutputStream(path, StandardOpenOption.APPEND)) {
            out.write('g');
        }
        written += 5 + 4 + 2 + 1;
        see(Arrays.toString(Files.readAllBytes(path)));
        see(Files.readAllLines(path));
        try (Stream<String> lines = Files.lines(path)) {
            see(lines.count());
        }
        try (BufferedReader in = Files.newBufferedReader(path)) {
            see(in.readLine());
        }
        try (InputStream in = Files.newInputStream(path)) {
            see(in.read() + " " + in.available() + " " + in.read(new byte[100], 50, 50) + " " + in.read());
        }
        read += 12 * 5;
        Path copy = path.resolveSibling("path-copy");
        Files.copy(path, copy);
        read += 12;
        written += 12;
        try (InputStream in = Files.newInputStream(copy)) {
            see(Files.copy(in, path.resolveSibling("path-copy-2")));
        }
        read += 12;
        written += 12;
        try (OutputStream out = Files.newOutputStream(path.resolveSibling("path-copy-3"))) {
            see(Files.copy(path, out));
        }
        read += 12;
        written += 12;
        Files.write(path, new byte[] {(byte) 0xC3, 'x'});
        written += 2;
        try {
            Files.readAllLines(path);
        } catch (MalformedInputException e) {
            see(e.getMessage());
        }
        read += 2;
    }

    private void failures(File none) throws IOException {
        try {
            new FileInputStream(none);
        } catch (FileNotFoundException e) {
            see(e.getMessage());
        }
        try {
            new FileReader(none);
        } catch (FileNotFoundException e) {
            see(e.getMessage());
        }
        try {
            Files.readAllBytes(none.toPath());
        } catch (NoSuchFileException e) {
            see(e.getMessage());
        }
        try {
            Files.newInputStream(none.toPath());
        } catch (NoSuchFileException e) {
            see(e.getMessage());
        }
        try {
            new FileOutputStream(none).write(null, 0, 1);
        } catch (NullPointerException e) {
            see("no bytes");
        }
        try {
            new FileInputStream(none).read(new byte[2], 1, 3);
        } catch (IndexOutOfBoundsException e) {
            see("out of bounds");
        }
        try {
            new FileInputStream((String) null);
        } catch (NullPointerException e) {
            see("no name");
        }
        try {
            new RandomAccessFile(none, "r").write(1);
        } catch (IOException e) {
            see(e.getMessage());
        }
    }
}
