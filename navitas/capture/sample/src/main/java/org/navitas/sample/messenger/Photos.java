package org.navitas.sample.messenger;

import java.util.ArrayList;
import java.util.List;

/** Creates previews of photos on several threads. */
public final class Photos {
  private static final int SIZE = 1024;
  private static final int RADIUS = 5;

  private Photos() {}

  /**
   * Blurs photos on several threads.
   *
   * @param count the number of photos
   * @param threads the number of threads
   * @return a checksum of all previews
   * @throws InterruptedException if the calling thread is interrupted
   */
  public static long previews(int count, int threads) throws InterruptedException {
    long[] checksums = new long[count];
    List<Thread> workers = new ArrayList<>();
    for (int first = 0; first < threads; first++) {
      int start = first;
      Thread worker =
          new Thread(
              () -> {
                for (int photo = start; photo < count; photo += threads) {
                  checksums[photo] = preview(photo);
                }
              },
              "previews-" + (first + 1));
      workers.add(worker);
      worker.start();
    }
    for (Thread worker : workers) {
      worker.join();
    }
    long sum = 0;
    for (long checksum : checksums) {
      sum += checksum;
    }
    return sum;
  }

  static long preview(int photo) {
    int[] pixels = decode(photo);
    blur(pixels);
    return checksum(pixels);
  }

  private static int[] decode(int photo) {
    int[] pixels = new int[SIZE * SIZE];
    int value = photo + 1;
    for (int i = 0; i < pixels.length; i++) {
      value = value * 1103515245 + 12345;
      pixels[i] = (value >>> 16) & 0xff;
    }
    return pixels;
  }

  private static void blur(int[] pixels) {
    int[] original = pixels.clone();
    for (int y = 0; y < SIZE; y++) {
      for (int x = RADIUS; x < SIZE - RADIUS; x++) {
        int sum = 0;
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
          sum += original[y * SIZE + x + dx];
        }
        pixels[y * SIZE + x] = sum / (2 * RADIUS + 1);
      }
    }
  }

  private static long checksum(int[] pixels) {
    long sum = 0;
    for (int pixel : pixels) {
      sum += pixel;
    }
    return sum;
  }
}
