package org.navitas.hooks.files;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.Charset;

/** A {@link PrintStream} that counts the bytes written to a file that it opens itself. */
public class CountedPrintStream extends PrintStream {
    /** See {@link PrintStream#PrintStream(OutputStream)}. */
    public CountedPrintStream(OutputStream out) {
        super(out);
    }

    /** See {@link PrintStream#PrintStream(OutputStream, boolean)}. */
    public CountedPrintStream(OutputStream out, boolean autoFlush) {
        super(out, autoFlush);
    }

    /** See {@link PrintStream#PrintStream(OutputStream, boolean, String)}. */
    public CountedPrintStream(OutputStream out, boolean autoFlush, String charset) throws UnsupportedEncodingException {
        super(out, autoFlush, charset);
    }

    /** The constructor of newer platforms for a stream and a charset. */
    public CountedPrintStream(OutputStream out, boolean autoFlush, Charset charset)
            throws UnsupportedEncodingException {
        super(out, autoFlush, charset.name());
    }

    /** See {@link PrintStream#PrintStream(String)}. */
    public CountedPrintStream(String name) throws FileNotFoundException {
        super(new CountedFileOutputStream(name));
    }

    /** See {@link PrintStream#PrintStream(File)}. */
    public CountedPrintStream(File file) throws FileNotFoundException {
        super(new CountedFileOutputStream(file));
    }

    /** See {@link PrintStream#PrintStream(String, String)}. */
    public CountedPrintStream(String name, String charset) throws FileNotFoundException, UnsupportedEncodingException {
        this(Charsets.of(charset), name);
    }

    /** See {@link PrintStream#PrintStream(File, String)}. */
    public CountedPrintStream(File file, String charset) throws FileNotFoundException, UnsupportedEncodingException {
        this(Charsets.of(charset), file);
    }

    /** The constructor of newer platforms for a name and a charset. */
    public CountedPrintStream(String name, Charset charset) throws IOException {
        this(Charsets.of(charset), name);
    }

    /** The constructor of newer platforms for a file and a charset. */
    public CountedPrintStream(File file, Charset charset) throws IOException {
        this(Charsets.of(charset), file);
    }

    /** The charset comes first: an unknown one is reported before the file is created. */
    private CountedPrintStream(Charset charset, String name)
            throws FileNotFoundException, UnsupportedEncodingException {
        super(new CountedFileOutputStream(name), false, charset.name());
    }

    private CountedPrintStream(Charset charset, File file) throws FileNotFoundException, UnsupportedEncodingException {
        super(new CountedFileOutputStream(file), false, charset.name());
    }
}
