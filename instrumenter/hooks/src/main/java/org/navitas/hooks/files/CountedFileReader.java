package org.navitas.hooks.files;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileNotFoundException;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.CharBuffer;
import java.nio.charset.Charset;

/** A text file that counts the bytes read from it. All methods use a counted stream of the same file. */
public class CountedFileReader extends FileReader {
    private final InputStreamReader reader;

    /** See {@link FileReader#FileReader(String)}. */
    public CountedFileReader(String name) throws FileNotFoundException {
        this(new CountedFileInputStream(name), Charset.defaultCharset());
    }

    /** See {@link FileReader#FileReader(File)}. */
    public CountedFileReader(File file) throws FileNotFoundException {
        this(new CountedFileInputStream(file), Charset.defaultCharset());
    }

    /** See {@link FileReader#FileReader(FileDescriptor)}. */
    public CountedFileReader(FileDescriptor descriptor) {
        super(descriptor);
        reader = new InputStreamReader(new CountedFileInputStream(descriptor));
    }

    /** The constructor of newer platforms for a name and a charset. */
    public CountedFileReader(String name, Charset charset) throws IOException {
        this(new CountedFileInputStream(name), charset);
    }

    /** The constructor of newer platforms for a file and a charset. */
    public CountedFileReader(File file, Charset charset) throws IOException {
        this(new CountedFileInputStream(file), charset);
    }

    private CountedFileReader(CountedFileInputStream in, Charset charset) throws FileNotFoundException {
        super(descriptor(in));
        reader = new InputStreamReader(in, charset);
    }

    private static FileDescriptor descriptor(CountedFileInputStream in) throws FileNotFoundException {
        try {
            return in.getFD();
        } catch (IOException e) {
            throw new FileNotFoundException(e.getMessage());
        }
    }

    @Override
    public String getEncoding() {
        return reader.getEncoding();
    }

    @Override
    public int read() throws IOException {
        return reader.read();
    }

    @Override
    public int read(char[] to, int from, int length) throws IOException {
        return reader.read(to, from, length);
    }

    @Override
    public int read(CharBuffer to) throws IOException {
        return reader.read(to);
    }

    @Override
    public boolean ready() throws IOException {
        return reader.ready();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
