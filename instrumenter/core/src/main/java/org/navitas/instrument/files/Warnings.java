package org.navitas.instrument.files;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects warnings. Combines those of one kind to one line that names the first few places. */
public final class Warnings {
    private static final int NAMED = 3;
    private final Map<String, List<String>> places = new LinkedHashMap<>();

    public void add(String kind, String place) {
        places.computeIfAbsent(kind, k -> new ArrayList<>()).add(Io.printable(place));
    }

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        places.forEach((kind, all) -> {
            String named = String.join(", ", all.subList(0, Math.min(NAMED, all.size())));
            lines.add(kind + ": " + named + (all.size() > NAMED ? " and " + (all.size() - NAMED) + " more" : ""));
        });
        return lines;
    }
}
