package org.navitas.instrument.testing;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.rules.TemporaryFolder;
import org.navitas.runtime.Probe;

/**
 * A program of {@code src/test/resources/targets}. Its comments carry what is expected:
 *
 * <ul>
 *   <li>{@code // release 17}: the Java versions to compile for; Kotlin's files have none
 *   <li>{@code // trace: >run >a !a <run}: the probes of one call of {@code run()}, in order (several such lines
 *       make one)
 *   <li>{@code // skipped: a bridge}: skipped methods, with the reason
 * </ul>
 *
 * <p>Methods of nested classes are named {@code Nested.method}.
 */
public final class TargetProgram {
    private static final Pattern TRACE = Pattern.compile("// trace: (.*)");
    private static final Pattern SKIPPED = Pattern.compile("// skipped: (.*)");
    private static final Path COMPILED = temporary();
    private static final Pattern RELEASE = Pattern.compile("// release ([\\d ]+)");

    /** The file's name, without {@code .txt}. */
    public final String file;

    public final int release;
    private final String source;

    private TargetProgram(String file, String source, int release) {
        this.file = file;
        this.source = source;
        this.release = release;
    }

    /** Returns all targets, each once for each of its Java versions, the newest last. */
    public static List<TargetProgram> all() throws Exception {
        File folder = new File(TargetProgram.class.getResource("/targets").toURI());
        List<TargetProgram> targets = new ArrayList<>();
        for (File file : folder.listFiles()) {
            String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
            Matcher releases = RELEASE.matcher(text);
            for (String release : releases.find() ? releases.group(1).trim().split(" ") : new String[] {"0"}) {
                targets.add(new TargetProgram(file.getName().replace(".txt", ""), text, Integer.parseInt(release)));
            }
        }
        assertTrue(targets.size() >= 5);
        return targets;
    }

    private static Path temporary() {
        TemporaryFolder folder = new TemporaryFolder();
        try {
            folder.create();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(folder::delete));
        return folder.getRoot().toPath();
    }

    public String className() {
        return file.substring(0, file.indexOf('.'));
    }

    /** Returns a folder of its classes, compiled once for all tests, since the Kotlin compiler is slow. */
    public Path compiled() throws Exception {
        Path folder = COMPILED.resolve(className() + release);
        if (Files.exists(folder)) {
            return folder;
        }
        if (file.endsWith(".kt")) {
            Compiled.kotlin(folder, file, source);
        } else {
            Compiled.any(folder, release, "targets." + className(), source);
        }
        return folder;
    }

    public String expectedTrace() {
        return String.join(" ", found(TRACE));
    }

    public List<String> expectedToBeSkipped() {
        return found(SKIPPED);
    }

    /** Runs the target and returns the calls of its probes. */
    public String trace(ClassLoader loader, MapText map) throws Exception {
        Class<?> target = loader.loadClass("targets." + className());
        Probe.take();
        try {
            target.getMethod("run").invoke(null);
        } catch (InvocationTargetException e) {
            throw new AssertionError("run() failed", e.getCause());
        }
        return named(Probe.take(), map);
    }

    /** Returns calls of probes with the names of methods, after a check that each call that begins also ends. */
    public static String named(List<String> events, MapText map) {
        Deque<String> open = new ArrayDeque<>();
        for (String event : events) {
            if (event.startsWith(">") || event.startsWith("+")) {
                open.push(event.substring(1));
            } else {
                assertEquals("balanced", open.pop(), event.substring(1));
            }
        }
        assertTrue("balanced", open.isEmpty());
        return events.stream()
                .map(event -> event.charAt(0) + map.method(Integer.parseInt(event.substring(1))))
                .collect(Collectors.joining(" "));
    }

    private List<String> found(Pattern pattern) {
        List<String> found = new ArrayList<>();
        for (Matcher matcher = pattern.matcher(source); matcher.find(); ) {
            found.add(matcher.group(1).trim());
        }
        return found;
    }
}
