package org.example.game.render;

/** Formats scores and times. */
public final class TextFormat {
  private TextFormat() {}

  /** Returns a score with commas: {@code 1,234,567}. */
  public static String score(long score) {
    StringBuilder text = new StringBuilder();
    long rest = Math.abs(score);
    int digits = 0;
    do {
      if (digits > 0 && digits % 3 == 0) {
        text.append(',');
      }
      text.append((char) ('0' + rest % 10));
      rest /= 10;
      digits++;
    } while (rest > 0);
    if (score < 0) {
      text.append('-');
    }
    return text.reverse().toString();
  }

  /** Returns a time as minutes, seconds and hundredths: {@code 1:02.50}. */
  public static String time(float seconds) {
    int hundredths = Math.round(seconds * 100f);
    StringBuilder text = new StringBuilder();
    text.append(hundredths / 6000).append(':');
    pad(text, hundredths / 100 % 60).append('.');
    return pad(text, hundredths % 100).toString();
  }

  private static StringBuilder pad(StringBuilder text, int number) {
    return number < 10 ? text.append('0').append(number) : text.append(number);
  }
}
