package org.navitas.instrument.map;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.files.InstrumentException;

/** Maps that are read, and those that are refused. */
public class MapReaderTest {
    private static final String ID = "0123456789abcdef";
    private static final String HEAD = "{\"schema_version\": 1, \"map_id\": \"" + ID + "\"";
    private static final String CLASSES =
            ", \"classes\": [{\"name\": \"p.A\", \"sha256\": \"00\", \"source\": \"main\", \"module\": \":app\","
                    + " \"file\": null}]";
    private static final String METHOD =
            "{\"id\": 5, \"class\": \"p.A\", \"name\": \"f\", \"descriptor\": \"()V\", \"line\": 7}";

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    @Test
    public void entries() throws Exception {
        MapReader map = MapReader.read(bytes(HEAD + ", \"probes\": \"blocks\"" + CLASSES + ", \"methods\": [" + METHOD
                + "], \"skipped\": [{\"class\": \"p.A\", \"method\": null, \"reason\": \"excluded\"}]}"));
        assertEquals(ID, map.head.mapId);
        assertEquals(Probes.BLOCKS, map.head.probes);
        assertEquals(1, map.classes.size());
        assertNull(map.classes.get(0).file);
        assertArrayEquals(new int[] {5}, map.classes.get(0).ids);
        assertEquals("f", map.classes.get(0).methods.get(0).name);
        assertEquals(7, map.classes.get(0).methods.get(0).line);
        assertEquals("p.A", map.skipped.get(0).className);
        assertNull(map.skipped.get(0).skipped.method);
    }

    @Test
    public void fieldsOfNewerMapsArePassed() throws Exception {
        String deep = String.join("", Collections.nCopies(100_000, "[{\"a\":"));
        String ends = String.join("", Collections.nCopies(100_000, "}]"));
        String more =
                ", \"more\": [1.5, {}, [[]], {\"id\": [9, {\"x\": null}]}, \"]\"], \"deep\": " + deep + "1" + ends;
        String method = METHOD.replace("}", ", \"tags\": [{\"id\": 6}], \"share\": 0.5}");
        MapReader map = MapReader.read(bytes(HEAD + more + CLASSES + ", \"methods\": [" + method + "]}"));
        assertArrayEquals(new int[] {5}, map.classes.get(0).ids);
    }

    @Test
    public void theVersionAndTheIdMustBeThere() {
        assertRefused("it has no schema_version", HEAD.replace("\"schema_version\": 1, ", "") + "}");
        assertRefused("schema_version 2", HEAD.replace("1,", "2,") + "}");
        assertRefused("schema_version 1.0", HEAD.replace("1,", "1.0,") + "}");
        assertRefused("schema_version 1", HEAD.replace("1,", "\"1\",") + "}");
        assertRefused("no schema_version", HEAD.replace("1,", "null,") + "}");
        assertRefused("it has no map_id", "{\"schema_version\": 1}");
        assertRefused("map_id " + ID + "0", HEAD.replace(ID, ID + "0") + "}");
        assertRefused("map_id null", HEAD.replace("\"" + ID + "\"", "null") + "}");
        assertRefused("unknown probes 'some'", HEAD + ", \"probes\": \"some\"}");
    }

    @Test
    public void idsAreWholeNumbersOfTheRange() {
        for (String id : Arrays.asList(
                "1.5", "5.0", "5e0", "4294967296", "-1", "4194304", "\"5\"", "true", "1e999", "99999999999999999999")) {
            assertRefused(
                    "the id " + id.replace("\"", ""),
                    HEAD + CLASSES + ", \"methods\": [" + METHOD.replace("5,", id + ",") + "]}");
        }
        assertRefused("no id", HEAD + CLASSES + ", \"methods\": [" + METHOD.replace("\"id\": 5, ", "") + "]}");
        assertRefused(
                "the id 5",
                HEAD + CLASSES + ", \"methods\": [" + METHOD + ", " + METHOD.replace("\"f\"", "\"g\"") + "]}");
        assertRefused("the line 7.5", HEAD + CLASSES + ", \"methods\": [" + METHOD.replace("7}", "7.5}") + "]}");
        assertRefused("of the class p.B", HEAD + CLASSES + ", \"methods\": [" + METHOD.replace("p.A", "p.B") + "]}");
    }

    @Test
    public void aMethodHasOneEntry() throws Exception {
        Path file = temporary.getRoot().toPath().resolve("map.json");
        Files.write(file, bytes(HEAD + CLASSES + ", \"methods\": [" + METHOD + ", " + METHOD.replace("5", "6") + "]}"));
        InstrumentException refused =
                assertThrows(InstrumentException.class, () -> EarlierMap.read(file, Probes.METHODS));
        assertTrue(refused.getMessage(), refused.getMessage().contains("p.A.f()V twice"));
    }

    @Test
    public void theHeadOfAnyBytes() {
        byte[] valid = bytes(HEAD + ", \"probes\": \"none\"" + CLASSES + ", \"methods\": [" + METHOD + "]}");
        assertEquals(ID, MapReader.headOf(valid).mapId);
        assertEquals(Probes.NONE, MapReader.headOf(valid).probes);
        assertNull("of another version", MapReader.headOf(bytes("{\"map_id\": \"" + ID + "\"}")).mapId);
        assertNull(MapReader.headOf(new byte[0]).mapId);
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            byte[] damaged = Arrays.copyOf(valid, random.nextInt(valid.length + 20));
            for (int i = random.nextInt(8); i >= 0 && damaged.length > 0; i--) {
                damaged[random.nextInt(Math.min(damaged.length, 80))] = (byte) random.nextInt();
            }
            try {
                String id = MapReader.headOf(damaged).mapId;
                assertTrue("seed " + seed + ": " + id, id == null || id.matches("[0-9a-f]{16}"));
                random.nextBytes(damaged);
                assertNull("seed " + seed, MapReader.headOf(damaged).mapId);
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private static void assertRefused(String why, String map) {
        Exception refused = assertThrows(map, IllegalArgumentException.class, () -> MapReader.read(bytes(map)));
        assertTrue(refused.getMessage(), refused.getMessage().contains(why));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
