package org.navitas.instrument;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what the entries of one jar expand to, whatever the jar says of their sizes, and ends the reading of a jar that
 * was made to fill memory or disk: few KB can expand to many GB, all the more since entries may share their bytes.
 */
final class Expansion {
  /** Real jars expand to two or three times their size, those of zeros alone to a thousand times. */
  private static final int MAX_RATIO = 100;
  /** Small jars may hold a large file of one byte's repetition. */
  private static final long ALWAYS_ALLOWED = 256L << 20;

  private final long allowed;
  private final AtomicLong expanded = new AtomicLong();

  Expansion(Path jar) throws IOException {
    allowed = Math.max(ALWAYS_ALLOWED, MAX_RATIO * Files.size(jar));
  }

  /** The same bytes, counted. */
  InputStream counted(InputStream entry) {
    return new FilterInputStream(entry) {
      @Override
      public int read() throws IOException {
        int value = super.read();
        count(value < 0 ? 0 : 1);
        return value;
      }

      @Override
      public int read(byte[] to, int offset, int length) throws IOException {
        int read = super.read(to, offset, length);
        count(Math.max(0, read));
        return read;
      }
    };
  }

  private void count(int bytes) throws IOException {
    if (expanded.addAndGet(bytes) > allowed) {
      throw new IOException("the jar expands to more than " + (allowed >> 20) + " MB, far more than jars of its size do; refused");
    }
  }
}
