package org.navitas.instrument;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The method ids of a map, to add probes to its classes one by one. Its file changes only if an id or a method does, not
 * with the code of methods. Immutable and thread-safe.
 */
public final class ClassIds {
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
    JsonObject json = new JsonObject();
    for (NumberedClass each : EarlierMap.read(mapFile, Probes.METHODS).classes) {
      JsonObject methods = new JsonObject();
      for (int i = 0; i < each.ids.length; i++) {
        methods.put(each.methods.get(i).name + each.methods.get(i).descriptor, each.ids[i]);
      }
      json.put(each.name, methods);
    }
    byte[] bytes = JsonWriter.string(json).getBytes(StandardCharsets.UTF_8);
    try {
      if (!file.toFile().isFile() || !Arrays.equals(bytes, Io.readRegular(file))) {
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
      JsonObject json = JsonParser.object().from(new String(Io.readRegular(file), StandardCharsets.UTF_8));
      for (String name : json.keySet()) {
        Map<MethodRef, Integer> methods = new HashMap<>();
        JsonObject entries = json.getObject(name);
        for (String method : entries.keySet()) {
          int descriptor = method.indexOf('(');
          methods.put(new MethodRef(method.substring(0, descriptor), method.substring(descriptor), 0), entries.getInt(method));
        }
        ids.classes.put(name, methods);
      }
    } catch (IOException | JsonParserException e) {
      throw Io.failure(file.toString(), new IOException(e.getMessage(), e));
    }
    return ids;
  }

  /**
   * Returns whether the map has a method of the class.
   *
   * @param className a name with dots
   * @return whether {@link #instrument} adds probes
   */
  public boolean has(String className) {
    return !classes.getOrDefault(className, new HashMap<>()).isEmpty();
  }

  /**
   * Adds probes to the methods that the map has.
   *
   * @param className a name with dots
   * @param original a class file; not changed
   * @return the instrumented class, or the original if no method gets probes
   */
  public byte[] instrument(String className, byte[] original) {
    Map<MethodRef, Integer> ids = classes.getOrDefault(className, new HashMap<>());
    MethodChoice choice = (owner, method, code) ->
        ids.containsKey(new MethodRef(method.getName(), method.getDescriptor(), 0)) ? null : Skipped.EXCLUDED;
    ClassInstrumenter done = ClassInstrumenter.instrument(original, className, choice, null);
    return done.bytes(done.info.methods.stream().mapToInt(ids::get).toArray());
  }
}
