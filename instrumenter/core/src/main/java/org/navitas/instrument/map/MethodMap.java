package org.navitas.instrument.map;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.map.MapReader.SkippedEntry;

/** Writes the text of a method map, and its id (docs/dev/formats.md, "Method map"). */
public final class MethodMap {
    /** The resource with the id of the method map, for the runtime. */
    public static final String PROPERTIES = "META-INF/navitas/map.properties";

    private static final Pattern PROPERTY = Pattern.compile("(?m)^map_id=([0-9a-f]{16})$");

    private static final int USUAL_LINE = 160;
    /** Stands for what a name can contain but a map cannot: names with it can be equal in a map without being equal. */
    static final char REPLACEMENT = '\uFFFD';

    private MethodMap() {}

    /** Returns the first 8 bytes of the SHA-256 of a text with one tab-separated line for each class and method, and for probes. */
    public static String id(Probes probes, List<NumberedClass> classes) {
        StringBuilder text = builder(classes);
        if (probes != Probes.METHODS) {
            text.append("probes\t").append(probes.text()).append('\n');
        }
        for (NumberedClass each : classes) {
            text.append("class\t")
                    .append(each.name)
                    .append('\t')
                    .append(each.sha256)
                    .append('\n');
            for (int i = 0; i < each.ids.length; i++) {
                text.append("method\t")
                        .append(each.ids[i])
                        .append('\t')
                        .append(each.name)
                        .append('\t')
                        .append(each.methods.get(i).name)
                        .append('\t')
                        .append(each.methods.get(i).descriptor)
                        .append('\n');
            }
        }
        return Io.sha256Hex(text.toString()).substring(0, 16);
    }

    public static byte[] json(String mapId, Probes probes, List<NumberedClass> classes, List<SkippedEntry> skipped) {
        StringBuilder json = builder(classes);
        json.append("{\"schema_version\": 1, \"map_id\": \"").append(mapId).append('"');
        if (probes != Probes.METHODS) {
            field(json.append(", "), "probes", probes.text());
        }
        json.append(",\n\"classes\": [");
        String separator = "\n";
        for (NumberedClass each : classes) {
            field(json.append(separator).append('{'), "name", each.name);
            field(json.append(", "), "sha256", each.sha256);
            field(json.append(", "), "source", each.source);
            field(json.append(", "), "module", each.module);
            field(json.append(", "), "file", each.file);
            json.append('}');
            separator = ",\n";
        }
        json.append("\n],\n\"methods\": [");
        separator = "\n";
        for (NumberedClass each : classes) {
            for (int i = 0; i < each.ids.length; i++) {
                MethodRef method = each.methods.get(i);
                json.append(separator).append("{\"id\": ").append(each.ids[i]);
                field(json.append(", "), "class", each.name);
                field(json.append(", "), "name", method.name);
                field(json.append(", "), "descriptor", method.descriptor);
                json.append(", \"line\": ")
                        .append(method.line == 0 ? "null" : String.valueOf(method.line))
                        .append('}');
                separator = ",\n";
            }
        }
        json.append("\n],\n\"skipped\": [");
        separator = "\n";
        for (SkippedEntry each : skipped) {
            field(json.append(separator).append('{'), "class", each.className);
            field(json.append(", "), "method", each.skipped.method);
            field(json.append(", "), "reason", each.skipped.reason);
            json.append('}');
            separator = ",\n";
        }
        return json.append("\n]}\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static StringBuilder builder(List<NumberedClass> classes) {
        return new StringBuilder(USUAL_LINE
                * classes.stream().mapToInt(each -> 1 + each.methods.size()).sum());
    }

    public static byte[] properties(String mapId) {
        return ("map_id=" + mapId + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the id in a {@link #PROPERTIES} resource, or null. */
    public static String idOfProperties(byte[] properties) {
        Matcher matcher = PROPERTY.matcher(new String(properties, StandardCharsets.ISO_8859_1));
        return matcher.find() ? matcher.group(1) : null;
    }

    private static boolean isPaired(String value, int at) {
        boolean high = Character.isHighSurrogate(value.charAt(at));
        int other = high ? at + 1 : at - 1;
        return other >= 0
                && other < value.length()
                && (high
                        ? Character.isLowSurrogate(value.charAt(other))
                        : Character.isHighSurrogate(value.charAt(other)));
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
