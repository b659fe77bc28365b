package org.navitas.instrument.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.code.ClassScan;
import org.navitas.instrument.files.Release;

/** Counts the classes without probes by reason, and names the include patterns that would select them. */
final class SkipReasons {
    private static final int MOST_PATTERNS = 3;

    private SkipReasons() {}

    /**
     * Returns one line, such as {@code 2 classes newer than Java 25, 1 of known frameworks (include kotlin.** to
     * instrument)}.
     */
    static String reasons(List<Contents> all, Options options) {
        Map<String, List<Entry>> byReason = new LinkedHashMap<>();
        for (Contents contents : all) {
            for (Entry entry : contents.entries) {
                if (entry.verdict != null && !entry.changed()) {
                    byReason.computeIfAbsent(reason(entry, options), reason -> new ArrayList<>())
                            .add(entry);
                }
            }
        }
        List<String> parts = new ArrayList<>();
        byReason.forEach((reason, entries) -> {
            int count = entries.size();
            String noun = parts.isEmpty() ? (count == 1 ? " class " : " classes ") : " ";
            parts.add(count + noun + reason + remedy(entries));
        });
        return String.join(", ", parts);
    }

    /** Returns the number of class files that can hold code. */
    static int classes(List<Contents> all) {
        return (int) all.stream()
                .flatMap(contents -> contents.entries.stream())
                .filter(entry -> entry.verdict != null && entry.verdict != Selection.Verdict.NO_CODE)
                .count();
    }

    private static String reason(Entry entry, Options options) {
        switch (entry.verdict) {
            case FRAMEWORK:
                return "of known frameworks";
            case DEPENDENCY:
            case HOOK:
                return "of dependencies";
            case NOT_INCLUDED:
                return "that no include pattern matches: " + String.join(" ", options.includes());
            case EXCLUDED:
                return "excluded by " + String.join(" ", options.excludes());
            case NO_CODE:
                return "without code";
            default:
                return reason(entry.info.untouchedReason());
        }
    }

    private static String reason(String untouched) {
        if (Skipped.UNSUPPORTED_VERSION.equals(untouched)) {
            return ClassScan.newer();
        } else if (Skipped.MALFORMED.equals(untouched)) {
            return "malformed";
        } else if (Skipped.ALREADY_INSTRUMENTED.equals(untouched)) {
            return "already instrumented";
        }
        return "without methods that can get probes";
    }

    /** Returns the include patterns that would select classes skipped for one reason; empty if there are none. */
    private static String remedy(List<Entry> entries) {
        TreeSet<String> patterns = new TreeSet<>();
        for (Entry entry : entries) {
            String name = Release.className(entry.path);
            switch (entry.verdict) {
                case FRAMEWORK:
                    String framework = Selection.frameworkOf(name);
                    patterns.add(framework == null ? name : framework);
                    break;
                case DEPENDENCY:
                case NOT_INCLUDED:
                    patterns.add(name.indexOf('.') < 0 ? name : name.substring(0, name.lastIndexOf('.')) + ".**");
                    break;
                default:
            }
        }
        if (patterns.isEmpty()) {
            return "";
        }
        int more = patterns.size() - MOST_PATTERNS;
        List<String> shown = new ArrayList<>(patterns).subList(0, Math.min(patterns.size(), MOST_PATTERNS));
        return " (include " + String.join(" ", shown) + (more > 0 ? " and " + more + " more" : "") + " to instrument)";
    }
}
