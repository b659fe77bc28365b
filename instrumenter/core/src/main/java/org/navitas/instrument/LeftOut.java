package org.navitas.instrument;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts the classes that got no probes by the reason, in words. */
final class LeftOut {
  private static final String INCLUDE = " (name them by include patterns)";

  private LeftOut() {}

  /** One line, such as {@code 2 classes newer than Java 21, 1 of known frameworks (name them by include patterns)}. */
  static String reasons(List<Contents> all, Options options) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (Contents contents : all) {
      for (Entry entry : contents.entries) {
        if (entry.verdict != null && !entry.probed()) {
          counts.merge(reason(entry, options), 1, Integer::sum);
        }
      }
    }
    List<String> parts = new ArrayList<>();
    counts.forEach((reason, count) -> {
      String noun = parts.isEmpty() ? (count == 1 ? " class " : " classes ") : " ";
      parts.add(count + noun + reason);
    });
    return String.join(", ", parts);
  }

  /** How many class files there are that could get probes, by their kind. */
  static int classes(List<Contents> all) {
    return (int) all.stream().flatMap(contents -> contents.entries.stream())
        .filter(entry -> entry.verdict != null && entry.verdict != Selection.Verdict.NO_CODE).count();
  }

  private static String reason(Entry entry, Options options) {
    switch (entry.verdict) {
      case FRAMEWORK:
        return "of known frameworks" + INCLUDE;
      case DEPENDENCY:
        return "of dependencies" + INCLUDE;
      case NOT_INCLUDED:
        return "that no include pattern matches (" + String.join(" ", options.includes()) + ")";
      case EXCLUDED:
        return "excluded";
      case NO_CODE:
        return "without code";
      default:
        return reason(entry.info.untouchedReason());
    }
  }

  private static String reason(String untouched) {
    if (Skipped.UNSUPPORTED_VERSION.equals(untouched)) {
      return "newer than Java 21";
    } else if (Skipped.MALFORMED.equals(untouched)) {
      return "broken";
    } else if (Skipped.ALREADY_INSTRUMENTED.equals(untouched)) {
      return "already instrumented";
    }
    return "without methods that can get probes";
  }
}
