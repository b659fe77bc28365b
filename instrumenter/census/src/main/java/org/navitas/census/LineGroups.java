package org.navitas.census;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Groups of lines: the lines of a statement are one group, as are those of statements that share a line. */
final class LineGroups {
    private final TreeMap<Integer, Integer> ends = new TreeMap<>();

    LineGroups(List<Event> events) {
        List<int[]> spans = new ArrayList<>();
        events.forEach(event -> spans.add(new int[] {event.firstLine, event.lastLine}));
        spans.sort((one, two) -> Integer.compare(one[0], two[0]));
        for (int[] span : spans) {
            Map.Entry<Integer, Integer> before = ends.lastEntry();
            if (before != null && span[0] <= before.getValue()) {
                before = ends.floorEntry(before.getKey());
                ends.put(before.getKey(), Math.max(before.getValue(), span[1]));
            } else {
                ends.put(span[0], span[1]);
            }
        }
    }

    /** Returns the first line of a line's group; a line of no event is its own group. */
    int of(int line) {
        Map.Entry<Integer, Integer> group = ends.floorEntry(line);
        return group != null && line <= group.getValue() ? group.getKey() : line;
    }
}
