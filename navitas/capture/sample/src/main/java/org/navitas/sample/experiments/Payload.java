package org.navitas.sample.experiments;

/** The constant payload of the first experiment. */
public final class Payload {
  private static final int ROUNDS = 4_000;

  private Payload() {}

  /**
   * Computes a checksum over the numbers up to {@code ROUNDS}, which is the same work each time.
   *
   * @return the checksum
   */
  public static int run() {
    int checksum = 17;
    for (int i = 0; i < ROUNDS; i++) {
      checksum = checksum * 31 + (i ^ (checksum >>> 7));
    }
    return checksum;
  }
}
