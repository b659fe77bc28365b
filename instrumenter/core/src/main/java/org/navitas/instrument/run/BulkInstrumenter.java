package org.navitas.instrument.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Selection;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.PathChecks;
import org.navitas.instrument.files.Warnings;
import org.navitas.instrument.hooks.HookTable;
import org.navitas.instrument.map.EarlierMap;
import org.navitas.instrument.map.MapReader;
import org.navitas.instrument.map.MapReader.SkippedEntry;
import org.navitas.instrument.map.MethodMap;

/** Instruments folders and jars together and writes their method map. Thread-safe: calls share no state. */
public final class BulkInstrumenter {
    private BulkInstrumenter() {}

    /**
     * Instruments the inputs. Writes the instrumented copy of each input, the method map, and {@code
     * META-INF/navitas/map.properties} in the first output.
     *
     * <p>Keeps output files of an earlier run with the same map file if they are still current. If all classes already
     * have probes, the outputs equal the inputs, and the map file must exist and match these classes.
     *
     * @param inputs folders and jars in class path order; not empty
     * @param options selects the classes and methods to instrument
     * @param mapFile the method map to write; {@code <mapFile>.state}, in the same folder, lists the outputs for the next
     *     run
     * @return what this run did, with its warnings
     * @throws InstrumentException if an input cannot be read, an output cannot be written, an input is unsafe, only some of
     *     the classes have probes of an earlier run, or an edit of a block cannot be made
     */
    public static Summary run(List<Input> inputs, Options options, Path mapFile) throws InstrumentException {
        return run(inputs, options, mapFile, null);
    }

    /**
     * Instruments classes that run in the same process as classes instrumented earlier. Their methods have other
     * ids than those of the earlier map. The written map contains both.
     *
     * @param inputs folders and jars in class path order; not empty
     * @param options selects the classes and methods to instrument
     * @param mapFile the method map to write
     * @param earlierMap the map of the classes instrumented earlier, or null
     * @return what this run did, with its warnings
     * @throws InstrumentException as {@link #run(List, Options, Path)}, or if the earlier map cannot be read
     */
    public static Summary run(List<Input> inputs, Options options, Path mapFile, Path earlierMap)
            throws InstrumentException {
        PathChecks.check(inputs);
        EarlierMap earlier = EarlierMap.read(earlierMap, options.probes());
        Warnings warnings = new Warnings();
        Path stateFile = RunState.fileFor(mapFile);
        RunState old = RunState.load(stateFile);
        HookTable hooks = options.hooks() ? hooks(inputs, options) : null;
        Inventory inventory = new Inventory(options, hooks, old, warnings);
        List<Contents> all = new ArrayList<>();
        for (Input input : inputs) {
            all.add(inventory.read(input));
        }
        options.edits().checkFound(edited(all));
        Numbering numbering = Numbering.of(all, earlier, options.probes(), warnings);
        List<String> instrumentedBefore = instrumentedBefore(all, earlier);
        boolean allInstrumented = numbering.added() == 0 && !instrumentedBefore.isEmpty();
        byte[] present = readMap(mapFile);
        if (allInstrumented) {
            requireMap(inputs, instrumentedBefore.get(0), mapFile, present);
        } else {
            rejectPartlyInstrumented(instrumentedBefore);
        }
        if (!allInstrumented && earlier.classes.isEmpty() && !options.isPart()) {
            warnIfNothingInstrumented(all, numbering, options, warnings);
        }

        if (options.probes() != Probes.NONE) {
            warnOfLibraries(all, warnings);
        }

        String mapId =
                allInstrumented ? MapReader.headOf(present).mapId : MethodMap.id(options.probes(), numbering.inMap());
        List<SkippedEntry> skipped = skipped(all);
        RunState next = new RunState();
        next.rules = Selection.rules(options, hooks);
        Outputs outputs = new Outputs(old, next, warnings, allInstrumented ? null : mapId);
        try {
            Files.deleteIfExists(stateFile); // an interrupted run leaves no state
            outputs.write(all);
            byte[] json = allInstrumented
                    ? present
                    : MethodMap.json(mapId, options.probes(), numbering.inMap(), earlier.skippedAnd(skipped));
            if (!Arrays.equals(json, present)) {
                Io.writeAtomically(mapFile, json);
            }
            recordClasses(all, next).save(stateFile);
        } catch (IOException e) {
            throw Io.failure(mapFile.toString(), e);
        }
        return new Summary(
                mapId,
                numbering.classes.size(),
                numbering.added(),
                skipped.size(),
                outputs.rewritten,
                outputs.reused,
                SkipReasons.classes(all),
                inventory.frameworks,
                PatternUse.unused("include", options.includes(), all),
                PatternUse.unused("exclude", options.excludes(), all),
                warnings.lines());
    }

    private static HookTable hooks(List<Input> inputs, Options options) throws InstrumentException {
        Map<String, String> superclasses = Superclasses.of(inputs);
        HookTable table = HookTable.platform().withSubclasses(superclasses);
        return table.withAdded(MissingCallbacks.of(inputs, superclasses, new Selection(options, table)));
    }

    private static Set<String> edited(List<Contents> all) {
        return all.stream()
                .flatMap(contents -> contents.entries.stream())
                .filter(entry -> entry.info != null && entry.info.edits != null)
                .map(entry -> entry.info.name)
                .collect(Collectors.toSet());
    }

    private static List<SkippedEntry> skipped(List<Contents> all) {
        return all.stream()
                .flatMap(contents -> contents.entries.stream())
                .filter(entry -> entry.info != null)
                .flatMap(entry -> entry.info.skipped.stream().map(each -> new SkippedEntry(entry.info.name, each)))
                .collect(Collectors.toList());
    }

    private static RunState recordClasses(List<Contents> all, RunState next) {
        for (Contents contents : all) {
            for (Entry entry : contents.entries) {
                boolean taken = entry.verdict == Selection.Verdict.TAKE
                        && entry.info.edits == null; // a later run can have other edits
                if (taken && !Skipped.EXCLUDED.equals(entry.info.untouchedReason())) {
                    next.classes.put(entry.sha256, entry.info);
                }
            }
        }
        return next;
    }

    /**
     * Returns the places of classes that already have probes, selected or not. Those of the earlier map are fine: a class can be in
     * two parts of an app, and have its probes from the other one.
     */
    private static List<String> instrumentedBefore(List<Contents> all, EarlierMap earlier) {
        List<String> places = new ArrayList<>();
        for (Contents contents : all) {
            for (Entry entry : contents.entries) {
                if (entry.instrumentedBefore
                        && (entry.info == null || earlier.idsOf(entry.info.name).isEmpty())) {
                    places.add(contents.input.place(entry.path));
                }
            }
        }
        return places;
    }

    private static byte[] readMap(Path mapFile) throws InstrumentException {
        try {
            return Files.exists(mapFile) ? Io.readRegular(mapFile) : new byte[0];
        } catch (IOException e) {
            throw Io.failure(mapFile.toString(), e);
        }
    }

    /** A process has one map: ids of another map would resolve to wrong method names. */
    private static void rejectPartlyInstrumented(List<String> instrumentedBefore) throws InstrumentException {
        if (!instrumentedBefore.isEmpty()) {
            int more = instrumentedBefore.size() - 1;
            throw new InstrumentException(instrumentedBefore.get(0) + (more > 0 ? " and " + more + " more" : "")
                    + ": already has probes of another map, so its calls would be reported under wrong names;"
                    + " use the original class");
        }
    }

    /** Instrumented classes are not changed, so their map must exist. */
    private static void requireMap(List<Input> inputs, String place, Path mapFile, byte[] present)
            throws InstrumentException {
        String before = idIn(inputs);
        if (before == null || !before.equals(MapReader.headOf(present).mapId)) {
            throw new InstrumentException(place + ": is already instrumented, and " + mapFile + " is not its method map"
                    + (before == null ? "" : ", " + before) + "; use that map, or the original classes");
        }
    }

    private static void warnIfNothingInstrumented(
            List<Contents> all, Numbering numbering, Options options, Warnings warnings) {
        String reasons = SkipReasons.reasons(all, options);
        if (options.probes() != Probes.NONE && numbering.added() == 0 && !reasons.isEmpty()) {
            warnings.add("no method was instrumented", reasons);
        }
    }

    /** Says which libraries have probes: a pattern for the user's classes can match theirs, too. */
    private static void warnOfLibraries(List<Contents> all, Warnings warnings) {
        for (Contents contents : all) {
            long methods = contents.entries.stream()
                    .filter(entry -> entry.info != null)
                    .mapToLong(entry -> entry.info.methods.size())
                    .sum();
            if (methods > 0 && contents.input.source().equals(Input.DEPENDENCY)) {
                String text =
                        contents.input.in().getFileName() + " (" + methods + (methods == 1 ? " method)" : " methods)");
                warnings.add(
                        "libraries have probes, since include patterns match them; probes of small methods cost most",
                        text);
            }
        }
    }

    /** Returns the id in the first map properties among the inputs, or null. */
    private static String idIn(List<Input> inputs) throws InstrumentException {
        for (Input input : inputs) {
            try {
                String id = idIn(input.in());
                if (id != null) {
                    return id;
                }
            } catch (IOException e) {
                throw Io.failure(input.place(MethodMap.PROPERTIES), e);
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
