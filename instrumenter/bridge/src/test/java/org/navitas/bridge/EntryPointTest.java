package org.navitas.bridge;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Tests what the other side of the gateway receives. */
public class EntryPointTest {
    private static final List<String> NONE = Collections.emptyList();

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    public void returnsSummary() throws Exception {
        Path root = temporary.getRoot().toPath();
        Path in = Files.createDirectory(root.resolve("in"));
        try (InputStream own = EntryPoint.class.getResourceAsStream("EntryPoint.class")) {
            Files.copy(own, in.resolve("EntryPoint.class"));
        }
        List<String> answer = new EntryPoint()
                .instrument(
                        Arrays.asList(in.toString(), root.resolve("out").toString(), "main", ":app", "false"),
                        Collections.singletonList("org.navitas.bridge.*"),
                        NONE,
                        false,
                        false,
                        false,
                        "methods",
                        root.resolve("map.json").toString(),
                        null);
        assertEquals("ok", answer.get(0));
        assertTrue(answer.get(1), answer.get(1).matches("[0-9a-f]{16}"));
        assertEquals(Arrays.asList("1", "6", "0", "1", "0", "1", "0"), answer.subList(2, answer.size()));
    }

    @Test
    public void readsEdits() throws Exception {
        Path root = temporary.getRoot().toPath();
        Path in = Files.createDirectory(root.resolve("in"));
        Path edits = Files.write(root.resolve("edits.txt"), "remove\tA\n".getBytes(StandardCharsets.UTF_8));
        List<String> answer = new EntryPoint()
                .instrument(
                        Arrays.asList(in.toString(), root.resolve("out").toString(), "main", ":app", "false"),
                        NONE,
                        NONE,
                        false,
                        false,
                        false,
                        "methods",
                        root.resolve("map.json").toString(),
                        edits.toString());
        assertEquals(
                Arrays.asList("error", edits + ":1: remove needs a class, a method and a block, separated by tabs"),
                answer);
    }

    @Test
    public void returnsCensus() throws Exception {
        Path in = Files.createDirectory(temporary.getRoot().toPath().resolve("in"));
        try (InputStream own = EntryPoint.class.getResourceAsStream("EntryPoint.class")) {
            Files.copy(own, in.resolve("EntryPoint.class"));
        }
        List<String> path = Collections.singletonList(in.toString());
        List<String> included = Collections.singletonList("org.navitas.bridge.*");
        List<String> answer = new EntryPoint().census(path, NONE, NONE, included, NONE);
        assertEquals("ok", answer.get(0));
        assertTrue(answer.get(1), answer.get(1).startsWith("{\"format\": \"navitas-census\", \"version\": 1"));
        assertEquals(
                Arrays.asList("error", "no class to count"), new EntryPoint().census(path, NONE, NONE, NONE, included));
    }

    @Test
    public void returnsErrorsWithoutStackTraces() {
        for (String in : Arrays.asList("/no/such/folder", "nul\0")) {
            List<String> answer = new EntryPoint()
                    .instrument(
                            Arrays.asList(in, "/out", "main", ":", "false"),
                            NONE,
                            NONE,
                            true,
                            false,
                            false,
                            "methods",
                            "/map.json",
                            null);
            assertEquals("error", answer.get(0));
            assertEquals(2, answer.size());
            assertTrue(
                    answer.get(1),
                    answer.get(1).contains(in.substring(0, 3)) && !answer.get(1).contains("\tat "));
        }
        assertEquals(
                "source must be main, test or dependency, not other",
                new EntryPoint()
                        .instrument(
                                Arrays.asList("/in", "/out", "other", ":", "false"),
                                NONE,
                                NONE,
                                true,
                                false,
                                false,
                                "methods",
                                "/map.json",
                                null)
                        .get(1));
    }
}
