package org.navitas.instrument.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.MapText;

/** Runs of the instrumenter over folders: an input, an output and a map. */
public abstract class FolderRuns {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    Path in;
    Path out;
    Path map;

    @Before
    public void folders() {
        Path root = temporary.getRoot().toPath();
        in = root.resolve("in");
        out = root.resolve("out");
        map = root.resolve("maps/map.json");
    }

    Summary run() throws InstrumentException {
        return run(Options.defaults());
    }

    Summary run(Options options) throws InstrumentException {
        return BulkInstrumenter.run(inputs(new Input(in, out, Input.MAIN, ":app")), options, map);
    }

    static List<Input> inputs(Input... inputs) {
        return Arrays.asList(inputs);
    }

    MapText map() throws IOException {
        return MapText.of(map);
    }

    static void compile(Path folder, String name, String body) throws IOException {
        Compiled.into(folder, 8, name, source(name, body));
    }

    static String source(String name, String body) {
        int dot = name.lastIndexOf('.');
        return "package " + name.substring(0, dot) + "; public class " + name.substring(dot + 1) + " {" + body + "}";
    }

    static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
