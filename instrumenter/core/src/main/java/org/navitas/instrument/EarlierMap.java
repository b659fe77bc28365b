package org.navitas.instrument;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A method map that a new map continues: its ids and its entries, one line each, as {@link MethodMap} wrote them. */
final class EarlierMap {
  private static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*)\"";
  private static final Pattern CLASS = Pattern.compile("\\{\"name\": " + TEXT + ", \"sha256\": " + TEXT + ", .*\\}");
  private static final Pattern METHOD = Pattern.compile(
      "\\{\"id\": ([0-9]{1,7}), \"class\": " + TEXT + ", \"name\": " + TEXT + ", \"descriptor\": " + TEXT + ", .*\\}");
  private static final Pattern ESCAPED = Pattern.compile("\\\\(?:u([0-9a-f]{4})|(.))");

  final List<String> classLines = new ArrayList<>();
  final List<String> methodLines = new ArrayList<>();
  final List<String> skippedLines = new ArrayList<>();
  /** SHA-256 of the original bytes of each class, by class name. */
  private final Map<String, String> classes = new LinkedHashMap<>();
  private final Map<String, Map<String, Integer>> ids = new HashMap<>();
  private final Map<String, StringBuilder> canonical = new HashMap<>();

  private EarlierMap() {}

  /** Reads a map of this kind of probes; returns an empty one if {@code file} is null. */
  static EarlierMap read(Path file, Probes probes) throws InstrumentException {
    EarlierMap map = new EarlierMap();
    if (file == null) {
      return map;
    }
    String text;
    try {
      text = new String(Io.readRegular(file), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw Io.failure(file.toString(), e);
    }
    if (MethodMap.idOf(text.getBytes(StandardCharsets.US_ASCII)) == null || !map.parse(text.split("\n"))) {
      throw new InstrumentException(file + ": not a method map of this version");
    }
    Probes earlier = MethodMap.probesOf(text.getBytes(StandardCharsets.US_ASCII));
    if (earlier != probes) {
      throw new InstrumentException(file + ": its classes have probes of kind '" + earlier.text() + "', not '" + probes.text()
          + "'; use one kind for all classes of a process");
    }
    return map;
  }

  int methods() {
    return methodLines.size();
  }

  /** Returns the ids of a class's methods by name and descriptor; empty if the class is not in this map. */
  Map<String, Integer> idsOf(String className) {
    return ids.getOrDefault(className, new HashMap<>());
  }

  /** Appends this map's lines of the canonical text from which the map id is computed. */
  void appendCanonical(StringBuilder text) {
    classes.forEach((name, sha256) -> {
      MethodMap.appendClass(text, name, sha256);
      text.append(canonical.getOrDefault(name, new StringBuilder()));
    });
  }

  private boolean parse(String[] lines) {
    List<String> section = null;
    for (int i = 1; i < lines.length; i++) {
      String line = lines[i];
      if (line.startsWith("\"")) {
        section = line.startsWith("\"classes\"") ? classLines : line.startsWith("\"methods\"") ? methodLines : skippedLines;
      } else if (line.startsWith("{") && section != null) {
        String entry = line.endsWith(",") ? line.substring(0, line.length() - 1) : line;
        section.add(entry);
        if (section == classLines && !addClass(entry) || section == methodLines && !addMethod(entry)) {
          return false;
        }
      }
    }
    return section == skippedLines;
  }

  private boolean addClass(String entry) {
    Matcher matcher = CLASS.matcher(entry);
    if (matcher.matches()) {
      classes.put(plain(matcher.group(1)), matcher.group(2));
    }
    return matcher.matches();
  }

  private boolean addMethod(String entry) {
    Matcher matcher = METHOD.matcher(entry);
    if (!matcher.matches() || Integer.parseInt(matcher.group(1)) != methodLines.size() - 1) {
      return false;
    }
    String className = plain(matcher.group(2));
    MethodRef method = new MethodRef(plain(matcher.group(3)), plain(matcher.group(4)), 0);
    int id = methodLines.size() - 1;
    ids.computeIfAbsent(className, k -> new HashMap<>()).put(method.name + method.descriptor, id);
    MethodMap.appendMethod(canonical.computeIfAbsent(className, k -> new StringBuilder()), id, className, method);
    return true;
  }

  private static String plain(String escaped) {
    if (escaped.indexOf('\\') < 0) {
      return escaped;
    }
    Matcher matcher = ESCAPED.matcher(escaped);
    StringBuffer text = new StringBuffer();
    while (matcher.find()) {
      String code = matcher.group(1);
      String character = code == null ? matcher.group(2) : String.valueOf((char) Integer.parseInt(code, 16));
      matcher.appendReplacement(text, Matcher.quoteReplacement(character));
    }
    return matcher.appendTail(text).toString();
  }
}
