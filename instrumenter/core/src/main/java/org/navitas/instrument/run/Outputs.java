package org.navitas.instrument.run;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.files.PathChecks;
import org.navitas.instrument.files.Warnings;
import org.navitas.instrument.map.MethodMap;

/** Writes the outputs that changed since the last run, and removes obsolete ones. */
final class Outputs {
    private final RunState old;
    private final RunState next;
    private final Warnings warnings;
    private final String mapId;
    private final byte[] properties;
    private final Set<Path> createdFolders = new HashSet<>();
    int rewritten;
    int reused;

    /**
     * Creates a writer.
     *
     * @param next receives the outputs of this run
     * @param mapId the id to write to {@link MethodMap#PROPERTIES} of the first output; null to keep such files unchanged
     */
    Outputs(RunState old, RunState next, Warnings warnings, String mapId) {
        this.old = old;
        this.next = next;
        this.warnings = warnings;
        this.mapId = mapId;
        this.properties = mapId == null ? null : MethodMap.properties(mapId);
    }

    void write(List<Contents> all) throws InstrumentException {
        for (Contents contents : all) {
            boolean first = contents == all.get(0);
            try {
                if (contents.jar) {
                    writeJar(contents, first ? properties : null);
                } else {
                    writeFolder(contents, first ? properties : null);
                }
            } catch (IOException e) {
                throw Io.failure(contents.input.out().toString(), e);
            } catch (IllegalArgumentException e) {
                throw new InstrumentException(contents.input.in() + ": " + e.getMessage(), e);
            }
        }
        try {
            removeStale();
        } catch (IOException e) {
            throw Io.failure("cannot remove an outdated output", e);
        }
    }

    private RunState.Output output(Contents contents) {
        RunState.Output output = next.outputs.computeIfAbsent(
                PathChecks.real(contents.input.out()).toString(), k -> new RunState.Output());
        output.inputs.add(PathChecks.real(contents.input.in()).toString());
        return output;
    }

    private boolean current(Path root, String path, String recipe) throws IOException {
        RunState.Output before = old.outputs.get(root.toString());
        RunState.Written file = before == null ? null : before.files.get(path);
        return file != null && file.recipe.equals(recipe) && file.intact(root.resolve(path));
    }

    private void writeJar(Contents contents, byte[] added) throws IOException, InstrumentException {
        StringBuilder all = new StringBuilder(contents.jarSha256).append(' ').append(properties != null);
        all.append(' ').append(added == null ? "" : mapId);
        int changed = 0;
        for (Entry entry : contents.entries) {
            all.append('\n').append(entry.recipe());
            changed += entry.changed() ? 1 : 0;
        }
        String recipe = "jar " + Io.sha256Hex(all.toString());
        Path root = PathChecks.real(contents.input.out());
        JarWriter writer = new JarWriter(contents, added, warnings);
        if (current(root, "", recipe)) {
            reused += changed;
        } else {
            writer.write(properties != null);
            rewritten += changed;
        }
        output(contents).files.put("", RunState.Written.of(recipe, root));
    }

    private void writeFolder(Contents contents, byte[] added) throws IOException, InstrumentException {
        Path root = PathChecks.real(contents.input.out());
        Files.createDirectories(root);
        RunState.Output output = output(contents);
        if (added != null) {
            writeProperties(root, output);
        }
        for (Entry entry : contents.entries) {
            RunState.Written earlier = output.files.get(entry.path);
            if (earlier == null) {
                writeFile(contents.input, root, entry, output);
            } else if (!earlier.recipe.equals(entry.recipe()) && !entry.path.equals(MethodMap.PROPERTIES)) {
                warnings.add(
                        "not copied, an earlier input has a file of the same path", contents.input.place(entry.path));
            }
        }
    }

    private void writeProperties(Path root, RunState.Output output) throws IOException {
        String recipe = "map " + mapId;
        Path target = root.resolve(MethodMap.PROPERTIES);
        if (!current(root, MethodMap.PROPERTIES, recipe)) {
            Io.writeAtomically(target, properties);
        }
        output.files.put(MethodMap.PROPERTIES, RunState.Written.of(recipe, target));
    }

    private void writeFile(Input input, Path root, Entry entry, RunState.Output output) throws InstrumentException {
        if (properties != null && entry.path.equals(MethodMap.PROPERTIES)) {
            return; // belongs to another map
        }
        Path from = input.in().resolve(entry.path);
        Path target = root.resolve(entry.path);
        try {
            if (current(root, entry.path, entry.recipe())) {
                reused += entry.changed() ? 1 : 0;
            } else {
                if (createdFolders.add(target.getParent())) {
                    Files.createDirectories(target.getParent());
                }
                if (entry.changed()) {
                    Files.write(target, entry.instrumented(() -> Files.readAllBytes(from)));
                    rewritten++;
                } else {
                    Files.copy(from, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            output.files.put(entry.path, RunState.Written.of(entry.recipe(), target));
        } catch (IOException e) {
            throw Io.failure(target.toString(), e);
        }
    }

    private void removeStale() throws IOException {
        for (Map.Entry<String, RunState.Output> each : old.outputs.entrySet()) {
            RunState.Output now = next.outputs.get(each.getKey());
            boolean inputsGone = each.getValue().inputs.stream().noneMatch(input -> Files.exists(Paths.get(input)));
            if (now != null || inputsGone) {
                Path root = Paths.get(each.getKey());
                for (Map.Entry<String, RunState.Written> file :
                        each.getValue().files.entrySet()) {
                    Path target = root.resolve(file.getKey()).normalize();
                    boolean written = now != null && now.files.containsKey(file.getKey());
                    if (!written
                            && target.startsWith(root)
                            && (now != null || file.getValue().intact(target))) {
                        remove(target, root);
                    }
                }
            }
        }
    }

    /** Removes a file and the folders that become empty. */
    private static void remove(Path file, Path root) throws IOException {
        Files.deleteIfExists(file);
        try {
            for (Path folder = file.getParent();
                    folder.startsWith(root) && !folder.equals(root);
                    folder = folder.getParent()) {
                Files.deleteIfExists(folder);
            }
        } catch (DirectoryNotEmptyException e) {
            return; // this folder and its parents contain other files
        }
    }
}
