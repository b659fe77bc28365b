package org.navitas.instrument.map;

import com.grack.nanojson.JsonParserException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;

/** A method map that a new map continues: its entries, and the ids that it uses. */
public final class EarlierMap {
    public final List<NumberedClass> classes;
    private final List<MapReader.SkippedEntry> skipped;
    private final BitSet used = new BitSet();
    private final Map<String, Map<MethodRef, Integer>> ids = new HashMap<>();

    private EarlierMap(MapReader map) {
        classes = map.classes;
        skipped = map.skipped;
        for (NumberedClass each : classes) {
            Map<MethodRef, Integer> methods = ids.computeIfAbsent(each.name, k -> new HashMap<>());
            for (int i = 0; i < each.ids.length; i++) {
                MethodRef method = each.methods.get(i);
                used.set(each.ids[i]);
                boolean isExact = (each.name + method.name + method.descriptor).indexOf(MethodMap.REPLACEMENT) < 0;
                if (methods.put(method, each.ids[i]) != null && isExact) {
                    throw new IllegalArgumentException(each.name + "." + method.name + method.descriptor + " twice");
                }
            }
        }
    }

    /** Reads a map of this kind of probes; returns an empty one if {@code file} is null. */
    public static EarlierMap read(Path file, Probes probes) throws InstrumentException {
        if (file == null) {
            return new EarlierMap(MapReader.empty());
        }
        MapReader map;
        EarlierMap earlier;
        try {
            map = MapReader.read(Io.readRegular(file));
            earlier = new EarlierMap(map);
        } catch (IOException e) {
            throw Io.failure(file.toString(), e);
        } catch (JsonParserException | IllegalArgumentException e) {
            throw new InstrumentException(file + ": not a method map of this version (" + e.getMessage() + ")", e);
        }
        if (map.head.probes != probes) {
            throw new InstrumentException(file + ": its classes have probes of kind '" + map.head.probes.text()
                    + "', not '" + probes.text() + "'; use one kind for all classes of a process");
        }
        return earlier;
    }

    /** Returns what this map skips, then what the new one does. */
    public List<MapReader.SkippedEntry> skippedAnd(List<MapReader.SkippedEntry> added) {
        List<MapReader.SkippedEntry> all = new ArrayList<>(skipped);
        all.addAll(added);
        return all;
    }

    /** Returns the ids of this map's methods; not changed. */
    public BitSet usedIds() {
        return used;
    }

    /** Returns the ids of a class's methods; empty if the class is not in this map. */
    public Map<MethodRef, Integer> idsOf(String className) {
        return ids.getOrDefault(className, Collections.emptyMap());
    }
}
