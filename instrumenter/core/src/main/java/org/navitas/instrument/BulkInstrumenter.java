package org.navitas.instrument;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Instruments folders and jars in one go and writes their method map. */
public final class BulkInstrumenter {
  private BulkInstrumenter() {}

  /**
   * Writes each input's instrumented copy, the method map, and {@code META-INF/navitas/map.properties} into the first
   * output. What an earlier run with the same map file left there and is still right stays untouched. When all classes
   * were instrumented before, the outputs equal the inputs, and the map file must be the map that belongs to them.
   *
   * @param inputs folders and jars in class path order
   * @param mapFile where the method map goes; {@code <mapFile>.state} beside it remembers the outputs
   * @throws InstrumentException when an input cannot be read, an output cannot be written, inputs are unsafe, or some of
   *     their classes have probes of an earlier run
   */
  public static Summary run(List<Input> inputs, Options options, Path mapFile) throws InstrumentException {
    return run(inputs, options, mapFile, null);
  }

  /**
   * The same for classes that run in one process with others, which were instrumented before: their ids go on where
   * those of the others end, and the map holds both.
   *
   * @param earlierMap the map of the others; null: there are none
   */
  public static Summary run(List<Input> inputs, Options options, Path mapFile, Path earlierMap) throws InstrumentException {
    Places.check(inputs);
    EarlierMap earlier = EarlierMap.read(earlierMap);
    Warnings warnings = new Warnings();
    Path stateFile = RunState.fileFor(mapFile);
    RunState old = RunState.load(stateFile);
    Inventory inventory = new Inventory(options, old, warnings);
    List<Contents> all = new ArrayList<>();
    for (Input input : inputs) {
      all.add(inventory.read(input));
    }
    Numbering numbering = Numbering.of(all, earlier, warnings);
    boolean nothingNew = numbering.added() == 0 && !inventory.instrumentedBefore.isEmpty();
    byte[] present = presentMap(mapFile);
    if (nothingNew) {
      requireMap(inputs, inventory.instrumentedBefore.get(0), mapFile, present);
    } else {
      refuseMixture(inventory.instrumentedBefore);
    }
    warnOfNothing(all, numbering, options, nothingNew, warnings);

    String mapId = nothingNew ? MethodMap.idOf(present) : MethodMap.id(numbering);
    RunState next = new RunState();
    next.rules = Selection.rulesOf(options);
    Outputs outputs = new Outputs(old, next, warnings, nothingNew ? null : mapId);
    try {
      Files.deleteIfExists(stateFile); // a run that does not reach its end leaves no state
      outputs.write(all);
      byte[] json = nothingNew ? present : MethodMap.json(mapId, numbering, all);
      if (!Arrays.equals(json, present)) {
        Io.writeAtomically(mapFile, json);
      }
      remember(all, next).save(stateFile);
    } catch (IOException e) {
      throw Io.failure(mapFile.toString(), e);
    }
    return new Summary(mapId, numbering.classes.size(), numbering.added(), MethodMap.skipped(all),
        outputs.rewritten, outputs.reused, LeftOut.classes(all), inventory.frameworks, warnings.lines());
  }

  private static RunState remember(List<Contents> all, RunState next) {
    for (Contents contents : all) {
      for (Entry entry : contents.entries) {
        if (entry.info != null && !Skipped.EXCLUDED.equals(entry.info.untouchedReason())) {
          next.classes.put(entry.sha256, entry.info);
        }
      }
    }
    return next;
  }

  private static byte[] presentMap(Path mapFile) throws InstrumentException {
    try {
      return Files.exists(mapFile) ? Io.readRegular(mapFile) : new byte[0];
    } catch (IOException e) {
      throw Io.failure(mapFile.toString(), e);
    }
  }

  /** One process knows one map: ids of another one would be reported under wrong names. */
  private static void refuseMixture(List<String> instrumentedBefore) throws InstrumentException {
    if (!instrumentedBefore.isEmpty()) {
      int more = instrumentedBefore.size() - 1;
      throw new InstrumentException(instrumentedBefore.get(0) + (more > 0 ? " and " + more + " more" : "")
          + ": has probes of an earlier run, whose calls would be reported under wrong names; give the original class instead");
    }
  }

  /** What was instrumented before stays as it is, so its map must be there. */
  private static void requireMap(List<Input> inputs, String place, Path mapFile, byte[] present) throws InstrumentException {
    String before = idIn(inputs);
    if (before == null || !before.equals(MethodMap.idOf(present))) {
      throw new InstrumentException(place + ": was instrumented before, and " + mapFile + " is not the method map of that time"
          + (before == null ? "" : ", " + before) + "; give that map, or the original classes");
    }
  }

  private static void warnOfNothing(
      List<Contents> all, Numbering numbering, Options options, boolean instrumentedBefore, Warnings warnings) {
    String reasons = LeftOut.reasons(all, options);
    if (numbering.added() == 0 && !reasons.isEmpty() && !instrumentedBefore) {
      warnings.add("no method was instrumented", reasons);
    }
  }

  /** The id that the first map properties among the inputs name, or null. */
  private static String idIn(List<Input> inputs) throws InstrumentException {
    for (Input input : inputs) {
      try {
        String id = idIn(input.in());
        if (id != null) {
          return id;
        }
      } catch (IOException e) {
        throw Io.failure(Inventory.place(input, MethodMap.PROPERTIES), e);
      }
    }
    return null;
  }

  private static String idIn(Path in) throws IOException {
    if (Files.isDirectory(in)) {
      Path file = in.resolve(MethodMap.PROPERTIES);
      return Files.isRegularFile(file) ? MethodMap.idOfProperties(Files.readAllBytes(file)) : null;
    }
    try (ZipFile jar = new ZipFile(in.toFile())) {
      ZipEntry entry = jar.getEntry(MethodMap.PROPERTIES);
      if (entry == null) {
        return null;
      }
      try (InputStream properties = jar.getInputStream(entry)) {
        return MethodMap.idOfProperties(Io.read(properties));
      }
    }
  }
}
