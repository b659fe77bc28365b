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
   * to instrument were instrumented before, the outputs equal the inputs, and a map that belongs to them is kept.
   *
   * @param inputs folders and jars in class path order
   * @param mapFile where the method map goes; {@code <mapFile>.state} beside it remembers the outputs
   * @throws InstrumentException when an input cannot be read, an output cannot be written, or inputs are unsafe
   */
  public static Summary run(List<Input> inputs, Options options, Path mapFile) throws InstrumentException {
    Places.check(inputs);
    Warnings warnings = new Warnings();
    Path stateFile = RunState.fileFor(mapFile);
    RunState old = RunState.load(stateFile);
    Inventory inventory = new Inventory(new Selection(options), old.classes, warnings);
    List<Contents> all = new ArrayList<>();
    for (Input input : inputs) {
      all.add(inventory.read(input));
    }
    Numbering numbering = Numbering.of(all, warnings);
    boolean instrumentedBefore = has(all, Skipped.ALREADY_INSTRUMENTED);
    warn(all, numbering, options, instrumentedBefore, warnings);

    String mapId = MethodMap.id(numbering);
    boolean nothingNew = numbering.methods == 0 && instrumentedBefore;
    String idBefore = nothingNew ? idIn(inputs) : null;
    RunState next = new RunState();
    Outputs outputs = new Outputs(old, next, warnings, nothingNew ? null : mapId);
    try {
      Files.deleteIfExists(stateFile); // a run that does not reach its end leaves no state
      outputs.write(all);
      byte[] present = Files.exists(mapFile) ? Files.readAllBytes(mapFile) : new byte[0];
      byte[] json = MethodMap.json(mapId, numbering, all);
      if (idBefore != null && idBefore.equals(MethodMap.idOf(present))) {
        mapId = idBefore;
      } else if (!Arrays.equals(json, present)) {
        Io.writeAtomically(mapFile, json);
      }
      remember(all, next).save(stateFile);
    } catch (IOException e) {
      throw Io.failure(mapFile.toString(), e);
    }
    return new Summary(mapId, numbering.classes.size(), numbering.methods, MethodMap.skipped(all),
        outputs.rewritten, outputs.reused, warnings.lines());
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

  private static boolean has(List<Contents> all, String reason) {
    return all.stream().flatMap(contents -> contents.entries.stream())
        .anyMatch(entry -> entry.info != null && reason.equals(entry.info.untouchedReason()));
  }

  private static void warn(
      List<Contents> all, Numbering numbering, Options options, boolean instrumentedBefore, Warnings warnings) {
    boolean classes = all.stream().flatMap(contents -> contents.entries.stream())
        .anyMatch(entry -> entry.path.endsWith(".class"));
    if (numbering.methods > 0 && instrumentedBefore) {
      warnings.add("calls of classes that were instrumented before would be reported under wrong names",
          "instrument the original classes");
    } else if (numbering.methods == 0 && classes && !instrumentedBefore) {
      warnings.add("no method was instrumented", options.includes().isEmpty()
          ? "all classes are of known frameworks, dependencies, excluded or without code; name them by include patterns"
          : "no class with code matches the include patterns " + String.join(" ", options.includes()));
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
