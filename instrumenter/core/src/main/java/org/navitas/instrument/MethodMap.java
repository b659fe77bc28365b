package org.navitas.instrument;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes the text of a method map and its id (docs/dev/formats.md, "Method map"). */
final class MethodMap {
  /** The resource with the id of the method map, for the runtime. */
  static final String PROPERTIES = "META-INF/navitas/map.properties";
  private static final Pattern ID = Pattern.compile("\\A\\{\"schema_version\": 1, \"map_id\": \"([0-9a-f]{16})\"");
  private static final Pattern PROBES = Pattern.compile(
      "\\A\\{\"schema_version\": 1, \"map_id\": \"[0-9a-f]{16}\", \"probes\": \"(blocks|none)\"");
  private static final Pattern PROPERTY = Pattern.compile("(?m)^map_id=([0-9a-f]{16})$");

  private static final int USUAL_LINE = 160;
  private static final char REPLACEMENT = '\uFFFD';

  private MethodMap() {}

  /** Returns the first 8 bytes of the SHA-256 of a text with one tab-separated line for each class and method, and for probes. */
  static String id(Numbering numbering, Probes probes) {
    StringBuilder text = new StringBuilder(USUAL_LINE * (numbering.classes.size() + numbering.methods));
    if (probes != Probes.METHODS) {
      text.append("probes\t").append(probes.text()).append('\n');
    }
    numbering.earlier.appendCanonical(text);
    for (Numbering.NumberedClass each : numbering.classes) {
      appendClass(text, each.first.info.name, each.first.sha256);
      int id = each.firstId;
      for (MethodRef method : each.methods) {
        appendMethod(text, id++, each.first.info.name, method);
      }
    }
    return Io.sha256Hex(text.toString()).substring(0, 16);
  }

  static void appendClass(StringBuilder text, String name, String sha256) {
    text.append("class\t").append(name).append('\t').append(sha256).append('\n');
  }

  static void appendMethod(StringBuilder text, int id, String className, MethodRef method) {
    text.append("method\t").append(id).append('\t').append(className).append('\t')
        .append(method.name).append('\t').append(method.descriptor).append('\n');
  }

  static byte[] json(String mapId, Probes probes, Numbering numbering, List<Contents> all) {
    StringBuilder json = new StringBuilder(USUAL_LINE * (numbering.classes.size() + numbering.methods));
    json.append("{\"schema_version\": 1, \"map_id\": \"").append(mapId).append('"');
    if (probes != Probes.METHODS) {
      field(json.append(", "), "probes", probes.text());
    }
    json.append(",\n\"classes\": [");
    String separator = copy(json, numbering.earlier.classLines);
    for (Numbering.NumberedClass each : numbering.classes) {
      ClassInfo info = each.first.info;
      field(json.append(separator).append('{'), "name", info.name);
      field(json.append(", "), "sha256", each.first.sha256);
      field(json.append(", "), "source", each.input.source());
      field(json.append(", "), "module", each.input.module());
      field(json.append(", "), "file", info.file);
      json.append('}');
      separator = ",\n";
    }
    json.append("\n],\n\"methods\": [");
    separator = copy(json, numbering.earlier.methodLines);
    for (Numbering.NumberedClass each : numbering.classes) {
      int id = each.firstId;
      for (MethodRef method : each.methods) {
        json.append(separator).append("{\"id\": ").append(id++);
        field(json.append(", "), "class", each.first.info.name);
        field(json.append(", "), "name", method.name);
        field(json.append(", "), "descriptor", method.descriptor);
        json.append(", \"line\": ").append(method.line == 0 ? "null" : String.valueOf(method.line)).append('}');
        separator = ",\n";
      }
    }
    json.append("\n],\n\"skipped\": [");
    separator = copy(json, numbering.earlier.skippedLines);
    for (Contents contents : all) {
      for (Entry entry : contents.entries) {
        if (entry.info != null) {
          for (Skipped skipped : entry.info.skipped) {
            field(json.append(separator).append('{'), "class", entry.info.name);
            field(json.append(", "), "method", skipped.method);
            field(json.append(", "), "reason", skipped.reason);
            json.append('}');
            separator = ",\n";
          }
        }
      }
    }
    return json.append("\n]}\n").toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** Appends entries unchanged. Returns the separator before the next entry. */
  private static String copy(StringBuilder json, List<String> lines) {
    json.append(lines.isEmpty() ? "" : "\n").append(String.join(",\n", lines));
    return lines.isEmpty() ? "\n" : ",\n";
  }

  static int skipped(List<Contents> all) {
    return all.stream().flatMap(contents -> contents.entries.stream())
        .mapToInt(entry -> entry.info == null ? 0 : entry.info.skipped.size()).sum();
  }

  static byte[] properties(String mapId) {
    return ("map_id=" + mapId + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the id of a map that {@link #json} wrote, or null. */
  static String idOf(byte[] json) {
    return find(ID, json);
  }

  /** Returns the kind of probes in a map that {@link #json} wrote. */
  static Probes probesOf(byte[] json) {
    String kind = find(PROBES, json);
    return kind == null ? Probes.METHODS : Probes.of(kind);
  }

  /** Returns the id in a {@link #PROPERTIES} resource, or null. */
  static String idOfProperties(byte[] properties) {
    return find(PROPERTY, properties);
  }

  private static boolean isPaired(String value, int at) {
    boolean high = Character.isHighSurrogate(value.charAt(at));
    int other = high ? at + 1 : at - 1;
    return other >= 0 && other < value.length()
        && (high ? Character.isLowSurrogate(value.charAt(other)) : Character.isHighSurrogate(value.charAt(other)));
  }

  private static String find(Pattern pattern, byte[] text) {
    Matcher matcher = pattern.matcher(new String(text, StandardCharsets.ISO_8859_1));
    return matcher.find() ? matcher.group(1) : null;
  }

  /** Appends a JSON field. Replaces unpaired surrogates, which names can contain but JSON readers refuse. */
  private static void field(StringBuilder json, String name, String value) {
    json.append('"').append(name).append("\": ");
    if (value == null) {
      json.append("null");
      return;
    }
    json.append('"');
    int plain = 0; // from here to i, no character needs an escape
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        json.append(value, plain, i);
        plain = i + 1;
        if (c == '"' || c == '\\') {
          json.append('\\').append(c);
        } else {
          int known = Character.isSurrogate(c) && !isPaired(value, i) ? REPLACEMENT : c;
          json.append("\\u").append(Integer.toHexString(0x10000 | known), 1, 5);
        }
      }
    }
    json.append(value, plain, value.length()).append('"');
  }
}
