package org.navitas.hooks.files;

import java.io.BufferedWriter;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UnsupportedEncodingException;
import java.io.Writer;
import java.nio.charset.Charset;

/** A {@link PrintWriter} that counts the bytes written to a file that it opens itself. */
public class CountedPrintWriter extends PrintWriter {
    /** The stream below, whose errors are this writer's, or null if the superclass knows. */
    private PrintStream below;

    /** See {@link PrintWriter#PrintWriter(Writer)}. */
    public CountedPrintWriter(Writer out) {
        super(out);
    }

    /** See {@link PrintWriter#PrintWriter(Writer, boolean)}. */
    public CountedPrintWriter(Writer out, boolean autoFlush) {
        super(out, autoFlush);
    }

    /** See {@link PrintWriter#PrintWriter(OutputStream)}. */
    public CountedPrintWriter(OutputStream out) {
        super(out);
    }

    /** See {@link PrintWriter#PrintWriter(OutputStream, boolean)}. */
    public CountedPrintWriter(OutputStream out, boolean autoFlush) {
        super(out, autoFlush);
    }

    /** The constructor of newer platforms for a stream and a charset. */
    public CountedPrintWriter(OutputStream out, boolean autoFlush, Charset charset) {
        super(writer(out, charset), autoFlush);
        below = out instanceof PrintStream ? (PrintStream) out : null;
    }

    /** See {@link PrintWriter#PrintWriter(String)}. */
    public CountedPrintWriter(String name) throws FileNotFoundException {
        super(writer(new CountedFileOutputStream(name), Charset.defaultCharset()));
    }

    /** See {@link PrintWriter#PrintWriter(File)}. */
    public CountedPrintWriter(File file) throws FileNotFoundException {
        super(writer(new CountedFileOutputStream(file), Charset.defaultCharset()));
    }

    /** See {@link PrintWriter#PrintWriter(String, String)}. */
    public CountedPrintWriter(String name, String charset) throws FileNotFoundException, UnsupportedEncodingException {
        this(Charsets.of(charset), name);
    }

    /** See {@link PrintWriter#PrintWriter(File, String)}. */
    public CountedPrintWriter(File file, String charset) throws FileNotFoundException, UnsupportedEncodingException {
        this(Charsets.of(charset), file);
    }

    /** The constructor of newer platforms for a name and a charset. */
    public CountedPrintWriter(String name, Charset charset) throws IOException {
        this(Charsets.of(charset), name);
    }

    /** The constructor of newer platforms for a file and a charset. */
    public CountedPrintWriter(File file, Charset charset) throws IOException {
        this(Charsets.of(charset), file);
    }

    private CountedPrintWriter(Charset charset, String name) throws FileNotFoundException {
        super(writer(new CountedFileOutputStream(name), charset));
    }

    private CountedPrintWriter(Charset charset, File file) throws FileNotFoundException {
        super(writer(new CountedFileOutputStream(file), charset));
    }

    @Override
    public boolean checkError() {
        boolean failed = super.checkError();
        return below == null ? failed : failed | below.checkError();
    }

    private static Writer writer(OutputStream out, Charset charset) {
        return new BufferedWriter(new OutputStreamWriter(out, charset));
    }
}
