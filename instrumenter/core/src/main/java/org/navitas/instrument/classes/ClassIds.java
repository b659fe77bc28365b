package org.navitas.instrument.classes;

import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonReader;
import com.grack.nanojson.JsonStringWriter;
import com.grack.nanojson.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.map.EarlierMap;
import org.navitas.instrument.map.MapEntry;
import org.navitas.instrument.map.MethodRef;
import org.navitas.instrument.map.NumberedClass;

/**
 * The method ids of a map, to add probes to its classes one by one. Its file changes only if an id or a method does, not
 * with the code of methods. Immutable and thread-safe.
 */
public final class ClassIds {
    private static final String CLASS = "class";
    private static final String NAME = "name";
    private static final String DESCRIPTOR = "descriptor";
    private static final String ID = "id";

    private final Map<String, Map<MethodRef, Integer>> classes = new HashMap<>();

    private ClassIds() {}

    /**
     * Writes the ids of a map of methods, unless the file has them already.
     *
     * @param mapFile a method map
     * @param file the file to write
     * @throws InstrumentException if the map cannot be read, or has probes of another kind, or the file cannot be written
     */
    public static void save(Path mapFile, Path file) throws InstrumentException {
        JsonStringWriter json = JsonWriter.string().array();
        for (NumberedClass each : EarlierMap.read(mapFile, Probes.METHODS).classes) {
            for (int i = 0; i < each.ids.length; i++) {
                MethodRef method = each.methods.get(i);
                json.object()
                        .value(CLASS, each.name)
                        .value(NAME, method.name)
                        .value(DESCRIPTOR, method.descriptor)
                        .value(ID, each.ids[i])
                        .end();
            }
        }
        byte[] bytes = json.end().done().getBytes(StandardCharsets.UTF_8);
        try {
            if (!Files.isRegularFile(file) || !Arrays.equals(bytes, Io.readRegular(file))) {
                Io.writeAtomically(file, bytes);
            }
        } catch (IOException e) {
            throw Io.failure(file.toString(), e);
        }
    }

    /**
     * Reads ids.
     *
     * @param file what {@link #save} wrote
     * @return the ids
     * @throws InstrumentException if the file cannot be read
     */
    public static ClassIds read(Path file) throws InstrumentException {
        ClassIds ids = new ClassIds();
        try {
            MapEntry.each(JsonReader.from(new String(Io.readRegular(file), StandardCharsets.UTF_8)), ids::add);
        } catch (IOException e) {
            throw Io.failure(file.toString(), e);
        } catch (JsonParserException | IllegalArgumentException e) {
            throw new InstrumentException(file + ": not a list of method ids (" + e.getMessage() + ")", e);
        }
        return ids;
    }

    private void add(MapEntry entry) {
        MethodRef method = new MethodRef(entry.text(NAME), entry.text(DESCRIPTOR), 0);
        classes.computeIfAbsent(entry.text(CLASS), k -> new HashMap<>()).put(method, entry.number(ID));
    }

    /**
     * Returns whether the map has a method of the class.
     *
     * @param className a name with dots; Android begins one without a package with a dot
     * @return whether {@link #instrument} adds probes
     */
    public boolean has(String className) {
        return classes.containsKey(normal(className));
    }

    /**
     * Adds probes to the methods that the map has.
     *
     * @param className as in {@link #has}
     * @param original a class file; not changed
     * @param warn takes a message if methods of the map get no probes, since the class has changed or cannot be changed
     * @return the instrumented class, or the original if no method gets probes
     */
    public byte[] instrument(String className, byte[] original, Consumer<String> warn) {
        String name = normal(className);
        Map<MethodRef, Integer> ids = classes.getOrDefault(name, Collections.emptyMap());
        MethodChoice choice = (owner, method, code) ->
                ids.containsKey(new MethodRef(method.getName(), method.getDescriptor(), 0)) ? null : Skipped.EXCLUDED;
        ClassInstrumenter done = ClassInstrumenter.instrument(original, name, choice, null);
        int without = ids.size() - done.info.methods.size();
        if (without > 0 && !Skipped.ALREADY_INSTRUMENTED.equals(done.info.untouchedReason())) {
            warn.accept(name + ": " + without + " of " + ids.size() + " methods get no probes"
                    + (done.info.problem == null
                            ? ", since another plugin has changed the class"
                            : ": " + done.info.problem));
        }
        return done.bytes(done.info.methods.stream().mapToInt(ids::get).toArray());
    }

    private static String normal(String className) {
        return className.startsWith(".") ? className.substring(1) : className;
    }
}
