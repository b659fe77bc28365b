package org.navitas.instrument.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks the paths of inputs and outputs before anything is written. */
public final class PathChecks {
    private PathChecks() {}

    public static void check(List<Input> inputs) throws InstrumentException {
        if (inputs.isEmpty()) {
            throw new InstrumentException("nothing to instrument: no folder or jar given");
        }
        Set<Path> jars = new HashSet<>();
        List<Path> ins = inputs.stream().map(input -> real(input.in())).collect(Collectors.toList());
        for (Input input : inputs) {
            if (!Files.exists(input.in())) {
                throw new InstrumentException(input.in() + ": no such file or folder");
            }
            boolean folder = Files.isDirectory(input.in());
            if (Files.exists(input.out()) && Files.isDirectory(input.out()) != folder) {
                throw new InstrumentException(
                        input.out() + ": the copy of a " + (folder ? "folder must be a folder" : "jar must be a jar"));
            }
            Path out = real(input.out());
            if (!folder && !jars.add(out)) {
                throw new InstrumentException(
                        input.out() + ": two inputs have this output, but a jar is the output of one input");
            }
            for (Path in : ins) {
                if (out.startsWith(in) || in.startsWith(out)) {
                    throw new InstrumentException(input.out() + ": would overwrite the input " + in);
                }
            }
        }
    }

    /** Returns the absolute path, with links resolved as far as the path exists. */
    public static Path real(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        try {
            return absolute.toRealPath();
        } catch (IOException e) {
            Path parent = absolute.getParent();
            return parent == null ? absolute : real(parent).resolve(absolute.getFileName());
        }
    }
}
