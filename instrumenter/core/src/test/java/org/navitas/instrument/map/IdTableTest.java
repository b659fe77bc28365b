package org.navitas.instrument.map;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.Test;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.InstrumentException;

/** Properties of ids, for random apps and edits; a failure names its seed. */
public class IdTableTest {
    private static final List<MethodRef> METHODS = IntStream.range(0, 65_535)
            .mapToObj(i -> new MethodRef("m" + i, "()V", 0))
            .collect(Collectors.toList());
    private static final int APPS = 60;
    private static final BitSet NONE = new BitSet();

    @Test
    public void idsAreUniqueAndWithinTheTable() throws Exception {
        for (int seed = 0; seed < APPS; seed++) {
            Random random = new Random(seed);
            BitSet used = new BitSet();
            int[] sizes = {random.nextInt(20), random.nextInt(4000), random.nextInt(300)};
            for (int size : sizes) { // an app, its tests, and once more
                BitSet before = (BitSet) used.clone();
                for (int id : all(number(app(random, size), before, random.nextInt(8) == 0))) {
                    assertTrue("seed " + seed + ": id " + id, id >= 0 && id < IdTable.MAX_METHODS && !used.get(id));
                    used.set(id);
                }
            }
        }
    }

    @Test
    public void theOrderOfClassesDoesNotMatterAndMethodsOfAClassFollowEachOther() throws Exception {
        for (int seed = 0; seed < APPS; seed++) {
            Random random = new Random(seed);
            TreeMap<String, Integer> app = app(random, 500);
            Map<String, int[]> ids = number(app, NONE, false);
            for (int[] each : ids.values()) {
                for (int i = 1; i < each.length; i++) {
                    assertEquals("seed " + seed, each[0] + i, each[i]);
                }
            }
            same("seed " + seed, ids, number(app.descendingMap(), NONE, false), 0);
        }
    }

    @Test
    public void editsElsewhereKeepIds() throws Exception {
        int edits = 0;
        int moved = 0;
        for (int seed = 0; seed < APPS; seed++) {
            Random random = new Random(seed);
            TreeMap<String, Integer> app = app(random, 1000);
            Map<String, int[]> before = number(app, NONE, false);
            for (int edit = 0; edit < 10; edit++) {
                List<String> names = new ArrayList<>(app.keySet());
                String name = names.get(random.nextInt(names.size()));
                TreeMap<String, Integer> edited = new TreeMap<>(app);
                switch (random.nextInt(3)) {
                    case 0: // a method more or less, which can change the size of the class's block
                        edited.merge(name, random.nextBoolean() ? 1 : -1, (a, b) -> Math.max(0, a + b));
                        break;
                    case 1:
                        edited.remove(name);
                        break;
                    default:
                        name = "added.C" + random.nextInt();
                        edited.put(name, 1 + random.nextInt(20));
                }
                if (table(edited) != table(app)) {
                    continue; // the app has grown beyond the table, so all ids move
                }
                Map<String, int[]> after = number(edited, NONE, false);
                int[] own = before.remove(name);
                after.remove(name);
                int changed = same("seed " + seed, before, after, 3);
                moved += changed > 0 ? 1 : 0;
                edits++;
                if (own != null) {
                    before.put(name, own);
                }
            }
        }
        assertTrue(moved + " of " + edits + " edits moved another class", edits > 500 && moved < edits / 20);
    }

    @Test
    public void editsOfTheAppKeepTheIdsOfItsTests() throws Exception {
        for (int seed = 0; seed < APPS; seed++) {
            Random random = new Random(seed);
            TreeMap<String, Integer> app = app(random, 1000);
            TreeMap<String, Integer> tests = app(random, 100);
            Map<String, int[]> before = number(tests, used(number(app, NONE, false)), false);
            TreeMap<String, Integer> edited = new TreeMap<>(app);
            edited.merge(edited.firstKey(), 1, Integer::sum);
            edited.put("added.C", 3);
            if (table(edited) == table(app)) {
                same("seed " + seed, before, number(tests, used(number(edited, NONE, false)), false), 0);
            }
        }
    }

    /** Such as the modules, the app and the tests of a large app. */
    @Test
    public void eachPartOfALargeAppHasRoom() throws Exception {
        BitSet used = new BitSet();
        for (int classes : new int[] {18_000, 18_000, 6_000}) {
            TreeMap<String, Integer> part = new TreeMap<>();
            for (int i = 0; i < classes; i++) {
                part.put("p" + classes + used.length() + ".C" + i, 4 + i % 4); // blocks of 8
            }
            Map<String, int[]> before = number(part, used, false);
            part.put("added.C", 3);
            Map<String, int[]> after = number(part, used, false);
            after.remove("added.C");
            same(classes + " classes", before, after, 3);
            used.or(used(before));
        }
    }

    @Test
    public void aMethodMoreStaysInTheBlock() {
        assertEquals(0, IdTable.blockFor(0));
        for (int methods = 1; methods < 70_000; methods++) {
            int block = IdTable.blockFor(methods);
            assertTrue(
                    methods + " in " + block,
                    block > methods && Integer.bitCount(block) == 1 && block <= Math.max(4, 2 * methods));
        }
    }

    @Test
    public void denseIdsFillTheGaps() throws Exception {
        TreeMap<String, Integer> app = new TreeMap<>();
        app.put("a.A", 2);
        app.put("b.B", 0);
        app.put("c.C", 3);
        BitSet used = new BitSet();
        used.set(1);
        used.set(3, 5);
        Map<String, int[]> ids = number(app, used, true);
        assertEquals(
                "[0, 2] [] [5, 6, 7]",
                Arrays.toString(ids.get("a.A")) + " " + Arrays.toString(ids.get("b.B")) + " "
                        + Arrays.toString(ids.get("c.C")));
    }

    @Test
    public void appsThatAreTooLargeForATableHaveDenseIds() throws Exception {
        TreeMap<String, Integer> app = new TreeMap<>();
        for (int i = 0; i < 500; i++) {
            app.put("p.C" + i, 4100); // blocks of 8192: 4.1 million ids
        }
        BitSet ids = used(number(app, NONE, false));
        assertEquals(500 * 4100, ids.cardinality());
        assertEquals(500 * 4100, ids.length());
        app.keySet().removeIf(name -> name.endsWith("3")); // a full table has room for three quarters
        app.keySet().removeIf(name -> name.endsWith("7"));
        app.keySet().removeIf(name -> name.endsWith("9"));
        assertTrue(used(number(app, NONE, false)).length() > 3 << 20);
        for (int i = 0; i < 70; i++) {
            app.put("q.C" + i, 65_535);
        }
        InstrumentException refused = assertThrows(InstrumentException.class, () -> number(app, NONE, false));
        assertTrue(refused.getMessage(), refused.getMessage().contains("a map can contain at most 4194048"));
    }

    private static TreeMap<String, Integer> app(Random random, int classes) {
        TreeMap<String, Integer> app = new TreeMap<>();
        for (int i = 0; i < classes; i++) {
            int methods = random.nextInt(10) == 0 ? random.nextInt(200) : random.nextInt(10);
            app.put(
                    "org.example." + (char) ('a' + random.nextInt(5)) + ".Class" + i
                            + (random.nextBoolean() ? "" : "$" + i),
                    methods);
        }
        return app;
    }

    private static Map<String, int[]> number(Map<String, Integer> app, BitSet used, boolean dense)
            throws InstrumentException {
        List<NumberedClass> classes = new ArrayList<>();
        app.forEach((name, methods) -> {
            NumberedClass each = new NumberedClass(name, "", Input.MAIN, ":", null);
            each.methods.addAll(METHODS.subList(0, methods));
            classes.add(each);
        });
        IdTable.number(classes, used, dense);
        Map<String, int[]> ids = new TreeMap<>();
        classes.forEach(each -> ids.put(each.name, each.ids));
        return ids;
    }

    private static int[] all(Map<String, int[]> ids) {
        return ids.values().stream().flatMapToInt(Arrays::stream).toArray();
    }

    private static BitSet used(Map<String, int[]> ids) {
        BitSet used = new BitSet();
        Arrays.stream(all(ids)).forEach(used::set);
        return used;
    }

    private static int table(Map<String, Integer> app) {
        return IdTable.sizeFor(app.values().stream().mapToInt(IdTable::blockFor).sum());
    }

    /** Asserts that both have the same ids, except for at most some classes, and returns their number. */
    private static int same(String context, Map<String, int[]> before, Map<String, int[]> after, int atMost) {
        assertEquals(context, before.keySet(), after.keySet());
        int changed = 0;
        for (Map.Entry<String, int[]> each : before.entrySet()) {
            changed += Arrays.equals(each.getValue(), after.get(each.getKey())) ? 0 : 1;
        }
        assertTrue(context + ": " + changed + " classes moved", changed <= atMost);
        return changed;
    }
}
