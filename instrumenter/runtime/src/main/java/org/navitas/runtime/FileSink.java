package org.navitas.runtime;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;

/** The event file of this process. */
final class FileSink implements Sink {
    private final RandomAccessFile file;
    private volatile long stored;

    FileSink(File folder, int process) throws IOException {
        if (!folder.isDirectory() && !folder.mkdirs() && !folder.isDirectory()) {
            throw new IOException("cannot create the folder " + folder);
        }
        file = new RandomAccessFile(new File(folder, "events-" + process + ".nvch"), "rw");
        file.setLength(0); // an earlier process can have had the same id
    }

    @Override
    public void write(byte[] bytes, int length) throws IOException {
        long end = file.getFilePointer();
        try {
            file.write(bytes, 0, length);
            stored = end + length;
        } catch (IOException e) {
            file.setLength(end);
            throw e;
        }
    }

    @Override
    public int payloadLimit() {
        return Integer.MAX_VALUE;
    }

    @Override
    public long storedBytes() {
        return stored;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
