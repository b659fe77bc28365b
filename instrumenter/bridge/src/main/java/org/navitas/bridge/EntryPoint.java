package org.navitas.bridge;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.navitas.census.Census;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.edits.BlockEdits;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.run.BulkInstrumenter;
import org.navitas.instrument.run.Summary;

/**
 * The methods that Python calls. One call is a whole run, since each call across the gateway costs as much as a class.
 */
public final class EntryPoint {
    private static final int INPUT_FIELDS = 5;

    /**
     * Instruments folders and jars.
     *
     * @param inputs five strings for each input: in, out, source and module of {@link Input}, and whether it may hold
     *     frameworks
     * @param includes include patterns, see {@link Options}
     * @param excludes exclude patterns, see {@link Options}
     * @param skipTrivial whether trivial methods get no probes
     * @param hooks whether calls of APIs are hooked
     * @param hookLibraries whether the calls of all libraries are hooked, too
     * @param probes the kind of probes, see {@link Probes#of}
     * @param mapFile the method map to write
     * @param edits the file with blocks to remove or repeat, or null for none
     * @return on success {@code ok}, map id, classes, methods, skipped, rewritten, reused, seen, the number of framework
     *     patterns, each of these patterns with its number of classes, and the warnings; on failure {@code error} and the
     *     message
     */
    public List<String> instrument(
            List<String> inputs,
            List<String> includes,
            List<String> excludes,
            boolean skipTrivial,
            boolean hooks,
            boolean hookLibraries,
            String probes,
            String mapFile,
            String edits) {
        try {
            List<Input> parsed = new ArrayList<>();
            for (int i = 0; i < inputs.size(); i += INPUT_FIELDS) {
                Path in = Paths.get(inputs.get(i));
                Path out = Paths.get(inputs.get(i + 1));
                boolean mayHoldFrameworks = Boolean.parseBoolean(inputs.get(i + 4));
                parsed.add(new Input(in, out, inputs.get(i + 2), inputs.get(i + 3), mayHoldFrameworks));
            }
            Options options = Options.builder()
                    .include(includes)
                    .exclude(excludes)
                    .skipTrivial(skipTrivial)
                    .hooks(hooks, hookLibraries)
                    .probes(Probes.of(probes))
                    .edits(edits == null ? BlockEdits.none() : BlockEdits.read(Paths.get(edits)))
                    .build();
            return answer(BulkInstrumenter.run(parsed, options, Paths.get(mapFile)));
        } catch (InstrumentException | IllegalArgumentException e) {
            return Arrays.asList("error", String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            return Arrays.asList("error", "the JVM does not have enough memory for the classes");
        } catch (RuntimeException e) {
            return Arrays.asList("error", "unexpected failure: " + e);
        }
    }

    /**
     * Counts the operations of classes.
     *
     * @param classes folders and jars
     * @param sources folders with Java sources
     * @param classPath folders and jars of libraries
     * @param includes include patterns, see {@link Options}
     * @param excludes exclude patterns, see {@link Options}
     * @return on success {@code ok} and the census as JSON; on failure {@code error} and the message
     */
    public List<String> census(
            List<String> classes,
            List<String> sources,
            List<String> classPath,
            List<String> includes,
            List<String> excludes) {
        try {
            Options options =
                    Options.builder().include(includes).exclude(excludes).build();
            return Arrays.asList("ok", Census.json(paths(classes), paths(sources), paths(classPath), options));
        } catch (InstrumentException | IllegalArgumentException e) {
            return Arrays.asList("error", String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError | StackOverflowError e) {
            return Arrays.asList("error", "the JVM does not have enough memory for the classes");
        } catch (RuntimeException e) {
            return Arrays.asList("error", "unexpected failure: " + e);
        }
    }

    private static List<Path> paths(List<String> names) {
        return names.stream().map(Paths::get).collect(Collectors.toList());
    }

    private static List<String> answer(Summary summary) {
        List<String> answer = new ArrayList<>();
        answer.add("ok");
        answer.add(summary.mapId());
        answer.add(String.valueOf(summary.classes()));
        answer.add(String.valueOf(summary.methods()));
        answer.add(String.valueOf(summary.skippedMethods()));
        answer.add(String.valueOf(summary.rewritten()));
        answer.add(String.valueOf(summary.reused()));
        answer.add(String.valueOf(summary.seen()));
        answer.add(String.valueOf(summary.frameworks().size()));
        for (Map.Entry<String, Integer> framework : summary.frameworks().entrySet()) {
            answer.add(framework.getKey());
            answer.add(String.valueOf(framework.getValue()));
        }
        answer.addAll(summary.warnings());
        answer.addAll(summary.unusedIncludes().values());
        answer.addAll(summary.unusedExcludes().values());
        return answer;
    }
}
