package org.navitas.sample.experiments;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Second experiment of the Navitas paper (section V, Table II): threads that save 10^6 numbers, sorted or not. */
public class MultithreadingTest {
  private static final int THREADS = 4;
  private static final int FILES_A_THREAD = 5;
  private static final int NUMBERS = 1_000_000;

  @Rule public final TemporaryFolder storage = new TemporaryFolder();

  @Test
  public void startWithSort() throws InterruptedException {
    start(true);
  }

  @Test
  public void startWithoutSort() throws InterruptedException {
    start(false);
  }

  private void start(boolean sorted) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      File file = new File(storage.getRoot(), "numbers-" + i);
      threads.add(new Thread(() -> saveAll(file, sorted), "storage-" + i));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void saveAll(File file, boolean sorted) {
    for (int i = 0; i < FILES_A_THREAD; i++) {
      try {
        NumberFile.write(file, NUMBERS, sorted);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
