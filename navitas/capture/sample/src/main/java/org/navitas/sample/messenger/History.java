package org.navitas.sample.messenger;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Old messages, and two ways to find the messages that contain a word. Each word joins two words, as in coffeetrain. */
public final class History {
  private static final String[] WORDS = {
    "battery", "coffee", "tomorrow", "meeting", "photo", "train", "dinner", "weather", "music", "holiday",
    "garden", "ticket", "address", "birthday", "keys", "window", "summer", "winter", "letter", "guitar",
  };
  private static final int WORDS_A_MESSAGE = 100;

  private final List<String> messages = new ArrayList<>();
  private final Map<String, Set<String>> index = new HashMap<>();

  /**
   * Generates messages, the same each time.
   *
   * @param size the number of messages
   */
  public History(int size) {
    Random random = new Random(1);
    for (int i = 0; i < size; i++) {
      StringBuilder text = new StringBuilder();
      for (int word = 0; word < WORDS_A_MESSAGE; word++) {
        text.append(WORDS[random.nextInt(WORDS.length)]).append(WORDS[random.nextInt(WORDS.length)]).append(' ');
      }
      messages.add(text.toString());
    }
  }

  /**
   * Finds messages by reading all of them.
   *
   * @param word the word to find
   * @return the messages that contain the word
   */
  public List<String> scanFor(String word) {
    List<String> found = new ArrayList<>();
    for (String message : messages) {
      if (contains(message, word)) {
        found.add(message);
      }
    }
    return found;
  }

  private static boolean contains(String message, String word) {
    return message.toLowerCase(Locale.ROOT).contains(word);
  }

  /**
   * Finds messages by an index, which the first search builds.
   *
   * @param word the word to find
   * @return the messages that contain the word
   */
  public Set<String> lookUp(String word) {
    if (index.isEmpty()) {
      makeIndex();
    }
    return index.getOrDefault(word, Collections.<String>emptySet());
  }

  private void makeIndex() {
    for (String message : messages) {
      for (String word : message.split(" ")) {
        index.computeIfAbsent(word, key -> new LinkedHashSet<>()).add(message);
      }
    }
  }
}
