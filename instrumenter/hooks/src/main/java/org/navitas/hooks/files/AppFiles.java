package org.navitas.hooks.files;

import android.content.Context;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** Hooks of an app's private files: the streams count. */
public final class AppFiles {
    private AppFiles() {}

    /** Hook of {@link Context#openFileInput}. */
    public static FileInputStream openFileInput(Context context, String name) throws FileNotFoundException {
        FileInputStream in = context.openFileInput(name);
        try {
            return in == null || in.getClass() != FileInputStream.class ? in : new In(in);
        } catch (IOException e) {
            return in; // it has no descriptor
        }
    }

    /** Hook of {@link Context#openFileOutput}. */
    public static FileOutputStream openFileOutput(Context context, String name, int mode) throws FileNotFoundException {
        FileOutputStream out = context.openFileOutput(name, mode);
        try {
            return out == null || out.getClass() != FileOutputStream.class ? out : new Out(out);
        } catch (IOException e) {
            return out;
        }
    }

    /** A counted stream over an opened one, which owns the descriptor. */
    private static final class In extends CountedFileInputStream {
        private final FileInputStream opened;

        In(FileInputStream opened) throws IOException {
            super(opened.getFD());
            this.opened = opened;
        }

        @Override
        public FileChannel getChannel() {
            return opened.getChannel();
        }

        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                opened.close();
            }
        }
    }

    /** A counted stream over an opened one, which owns the descriptor. */
    private static final class Out extends CountedFileOutputStream {
        private final FileOutputStream opened;

        Out(FileOutputStream opened) throws IOException {
            super(opened.getFD());
            this.opened = opened;
        }

        @Override
        public FileChannel getChannel() {
            return opened.getChannel();
        }

        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                opened.close();
            }
        }
    }
}
