package org.navitas.instrument.testing;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Programs that tests run if they are installed. */
public final class Programs {
    private Programs() {}

    /** Whether a program is on the path. */
    public static boolean has(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator)))
                .anyMatch(folder -> new File(folder, name).canExecute());
    }

    /** Runs a program to its end and returns what it says. It has to succeed. */
    public static String run(String what, String... command) throws Exception {
        return run(what, new ProcessBuilder(command));
    }

    /** Runs a program to its end and returns what it says. It has to succeed. */
    static String run(String what, ProcessBuilder program) throws Exception {
        Path said = Files.createTempFile("navitas", ".txt");
        try {
            int status = program.redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start()
                    .waitFor();
            String text = new String(Files.readAllBytes(said), StandardCharsets.UTF_8);
            assertEquals(what + ": " + text, 0, status);
            return text;
        } finally {
            Files.delete(said);
        }
    }
}
