package org.navitas.instrument.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.classes.ClassInfo;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.Release;

/** Finds patterns that select nothing, and what they may have meant. */
final class PatternUse {
    private static final int MOST_NEAR = 3;
    /** A name is near if one character differs, and one more for each four: two swapped characters of a short name are. */
    private static final int CHARACTERS_PER_EDIT = 4;

    private final Set<String> classes = new TreeSet<>();
    private final Set<String> excludedMethods = new TreeSet<>();

    private PatternUse(List<Contents> all) {
        for (Contents contents : all) {
            for (Entry entry : contents.entries) {
                if (entry.verdict != null && entry.verdict != Selection.Verdict.NO_CODE) {
                    classes.add(entry.info == null ? Release.className(entry.path) : entry.info.name);
                    if (entry.info != null) {
                        add(entry.info);
                    }
                }
            }
        }
    }

    private void add(ClassInfo info) {
        for (Skipped skipped : info.skipped) {
            if (skipped.method != null && skipped.reason.equals(Skipped.EXCLUDED)) {
                excludedMethods.add(
                        info.name + Selection.METHOD + skipped.method.substring(0, skipped.method.indexOf('(')));
            }
        }
    }

    /** Returns a sentence about each pattern that matches no class or method of the inputs; {@code kind} is that of the patterns. */
    static Map<String, String> unused(String kind, Collection<String> patterns, List<Contents> all)
            throws InstrumentException {
        if (patterns.isEmpty()) {
            return Collections.emptyMap();
        }
        PatternUse use = new PatternUse(all);
        Map<String, String> unused = new LinkedHashMap<>();
        for (String pattern : patterns) {
            boolean ofMethods = pattern.indexOf(Selection.METHOD) >= 0;
            Pattern compiled = Selection.compile(pattern, !ofMethods);
            if ((ofMethods ? use.excludedMethods : use.classes)
                    .stream().noneMatch(name -> compiled.matcher(name).matches())) {
                unused.put(
                        pattern,
                        String.format(
                                "no %s matches the %s pattern '%s'%s",
                                ofMethods ? "method of a class with probes" : "class",
                                kind,
                                Io.printable(pattern),
                                ofMethods ? "" : use.hint(pattern)));
            }
        }
        return unused;
    }

    private String hint(String pattern) {
        boolean ofPackage = pattern.endsWith(".*") || pattern.endsWith(".**");
        String name = pattern.replaceFirst("\\.\\*{1,2}$", "");
        if (name.indexOf('*') >= 0) {
            return "";
        }
        int most = 1 + name.length() / CHARACTERS_PER_EDIT;
        List<String> near = new ArrayList<>();
        if (!ofPackage && packages().contains(name)) {
            near.add(pattern + ".**");
        }
        for (String each : ofPackage ? packages() : classes) {
            boolean isNear = each.endsWith("." + name) || distance(each, name, most) <= most;
            if (isNear && near.size() < MOST_NEAR) {
                near.add(Io.printable(each) + (ofPackage ? pattern.substring(name.length()) : ""));
            }
        }
        return near.isEmpty() ? "" : " (nearest: " + String.join(", ", near) + ")";
    }

    /** Returns the packages of all classes, and those above them. */
    private Set<String> packages() {
        Set<String> packages = new TreeSet<>();
        for (String name : classes) {
            for (int dot = name.lastIndexOf('.');
                    dot > 0 && packages.add(name.substring(0, dot));
                    dot = name.lastIndexOf('.', dot - 1)) {
                continue;
            }
        }
        return packages;
    }

    /** Returns the number of characters to insert, remove or replace, or {@code most + 1} if the lengths alone differ by more. */
    private static int distance(String from, String to, int most) {
        if (Math.abs(from.length() - to.length()) > most) {
            return most + 1;
        }
        int[] costs = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            costs[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = costs[0];
            costs[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = costs[j];
                costs[j] = Math.min(replaced, 1 + Math.min(costs[j], costs[j - 1]));
            }
        }
        return costs[to.length()];
    }
}
