package org.navitas.hooks.files;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.Charset;

/** A text file that counts the bytes written to it. All methods use a counted stream of the same file. */
public class CountedFileWriter extends FileWriter {
    private final OutputStreamWriter writer;

    /** See {@link FileWriter#FileWriter(String)}. */
    public CountedFileWriter(String name) throws IOException {
        this(new CountedFileOutputStream(name), Charset.defaultCharset());
    }

    /** See {@link FileWriter#FileWriter(String, boolean)}. */
    public CountedFileWriter(String name, boolean append) throws IOException {
        this(new CountedFileOutputStream(name, append), Charset.defaultCharset());
    }

    /** See {@link FileWriter#FileWriter(File)}. */
    public CountedFileWriter(File file) throws IOException {
        this(new CountedFileOutputStream(file), Charset.defaultCharset());
    }

    /** See {@link FileWriter#FileWriter(File, boolean)}. */
    public CountedFileWriter(File file, boolean append) throws IOException {
        this(new CountedFileOutputStream(file, append), Charset.defaultCharset());
    }

    /** See {@link FileWriter#FileWriter(FileDescriptor)}. */
    public CountedFileWriter(FileDescriptor descriptor) {
        super(descriptor);
        writer = new OutputStreamWriter(new CountedFileOutputStream(descriptor));
    }

    /** The constructor of newer platforms for a name and a charset. */
    public CountedFileWriter(String name, Charset charset) throws IOException {
        this(new CountedFileOutputStream(name), charset);
    }

    /** The constructor of newer platforms for a name, a charset and appending. */
    public CountedFileWriter(String name, Charset charset, boolean append) throws IOException {
        this(new CountedFileOutputStream(name, append), charset);
    }

    /** The constructor of newer platforms for a file and a charset. */
    public CountedFileWriter(File file, Charset charset) throws IOException {
        this(new CountedFileOutputStream(file), charset);
    }

    /** The constructor of newer platforms for a file, a charset and appending. */
    public CountedFileWriter(File file, Charset charset, boolean append) throws IOException {
        this(new CountedFileOutputStream(file, append), charset);
    }

    private CountedFileWriter(CountedFileOutputStream out, Charset charset) throws IOException {
        super(out.getFD());
        writer = new OutputStreamWriter(out, charset);
    }

    @Override
    public String getEncoding() {
        return writer.getEncoding();
    }

    @Override
    public void write(int character) throws IOException {
        writer.write(character);
    }

    @Override
    public void write(char[] from, int at, int length) throws IOException {
        writer.write(from, at, length);
    }

    @Override
    public void write(String from, int at, int length) throws IOException {
        writer.write(from, at, length);
    }

    @Override
    public java.io.Writer append(CharSequence text) throws IOException {
        writer.append(text);
        return this;
    }

    @Override
    public java.io.Writer append(CharSequence text, int start, int end) throws IOException {
        writer.append(text, start, end);
        return this;
    }

    @Override
    public java.io.Writer append(char character) throws IOException {
        writer.append(character);
        return this;
    }

    @Override
    public void flush() throws IOException {
        writer.flush();
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
