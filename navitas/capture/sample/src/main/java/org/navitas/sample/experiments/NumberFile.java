package org.navitas.sample.experiments;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;

/** The payload of the second experiment: saves pseudorandom numbers from a constant seed, sorted or unsorted. */
public final class NumberFile {
  private static final long SEED = 20210405L;

  private NumberFile() {}

  /**
   * Saves numbers to a file, one per line.
   *
   * @param file the file to write
   * @param count the number of numbers
   * @param sorted whether to sort the numbers first
   * @throws IOException if the file cannot be written
   */
  public static void write(File file, int count, boolean sorted) throws IOException {
    int[] numbers = generate(count);
    if (sorted) {
      sort(numbers);
    }
    save(numbers, file);
  }

  static int[] generate(int count) {
    Random random = new Random(SEED);
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = random.nextInt();
    }
    return numbers;
  }

  static void sort(int[] numbers) {
    Arrays.sort(numbers);
  }

  static void save(int[] numbers, File file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file.toPath(), StandardCharsets.US_ASCII)) {
      for (int number : numbers) {
        out.write(Integer.toString(number));
        out.write('\n');
      }
    }
  }
}
