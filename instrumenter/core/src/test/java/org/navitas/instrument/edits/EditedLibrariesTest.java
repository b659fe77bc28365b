package org.navitas.instrument.edits;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.StackMapTable;
import org.apache.commons.lang3.StringUtils;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.files.ByteSink;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.run.BulkInstrumenter;
import org.navitas.instrument.run.Summary;
import org.navitas.instrument.testing.Chosen;
import org.navitas.instrument.testing.Libraries;
import org.navitas.instrument.testing.Linked;

/** Whole libraries: the JVM accepts every edited class whose original it accepts, and the blocks stay the same. */
public class EditedLibrariesTest {
    /** Rounds in which each class has an edit of one block, another in each round. */
    private static final int ROUNDS = Integer.getInteger("edits.rounds", 2);

    private static final Path LANG = Libraries.jarOf(StringUtils.class);
    private static final List<Path> JARS = new ArrayList<>(Libraries.JARS);

    static {
        JARS.add(0, LANG);
    }

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    /** Chooses the edits of a class: for each editable block, its number of times, or null to leave it. */
    private interface Choice {
        Integer times(int number, int count);
    }

    /** One class of a jar, and its editable blocks as method, tab and block. */
    private static final class Target {
        final String path;
        final byte[] bytes;
        final ClassFile file;
        final List<String> blocks = new ArrayList<>();

        Target(String path, byte[] bytes) throws Exception {
            this.path = path;
            this.bytes = bytes;
            file = new ClassFile(new DataInputStream(new ByteSource(bytes)));
            for (MethodInfo method : file.getMethods()) {
                if (method.getCodeAttribute() != null) {
                    BasicBlocks found = BasicBlocks.of(method.getCodeAttribute());
                    EditableBlocks editable = EditableBlocks.of(file, method, found);
                    for (int i = 0; i < found.blocks().size(); i++) {
                        if (editable.range(i) != null) {
                            blocks.add(method.getName() + method.getDescriptor() + "\t" + i);
                        }
                    }
                }
            }
        }

        List<String> lines(Choice choice) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < blocks.size(); i++) {
                Integer times = choice.times(i, blocks.size());
                if (times != null) {
                    lines.add((times == 0 ? "remove\t" : "repeat\t") + file.getName() + "\t" + blocks.get(i)
                            + (times == 0 ? "" : "\t" + times));
                }
            }
            return lines;
        }
    }

    @Test
    public void verifierAcceptsEditsOfAllBlocks() throws Exception {
        for (Path jar : Chosen.of(JARS)) {
            List<Target> targets = targets(jar);
            Map<String, String> before = Linked.all(jar);
            assertTrue(jar.toString(), Collections.frequency(before.values(), Linked.FINE) > before.size() * 9 / 10);
            check(before, targets, jar + " removed", (number, count) -> 0);
            check(before, targets, jar + " repeated", (number, count) -> 3);
            Random random = new Random(1);
            check(
                    before,
                    targets,
                    jar + " mixed",
                    (number, count) -> Arrays.asList(null, 0, 0, 2).get(random.nextInt(4)));
        }
    }

    @Test
    public void verifierAcceptsEditsOfSingleBlocks() throws Exception {
        for (Path jar : Chosen.of(JARS.subList(0, 2))) {
            List<Target> targets = targets(jar);
            Map<String, String> before = Linked.all(jar);
            int most = targets.stream()
                    .mapToInt(target -> target.blocks.size())
                    .max()
                    .getAsInt();
            for (int round = 0; round < Math.min(ROUNDS, most); round++) {
                int one = round;
                check(
                        before,
                        targets,
                        jar + " removed one",
                        (number, count) -> number == one ? Integer.valueOf(0) : null);
                check(
                        before,
                        targets,
                        jar + " repeated one",
                        (number, count) -> number == one ? Integer.valueOf(3) : null);
            }
        }
    }

    @Test
    public void verifierAcceptsEditsWithoutFrames() throws Exception {
        List<Target> targets = new ArrayList<>();
        for (Target target : targets(LANG)) {
            targets.add(new Target(target.path, withoutFrames(target.file)));
        }
        assertTrue(targets.stream().mapToInt(target -> target.blocks.size()).sum() > 1_000);
        Path out = temporary.getRoot().toPath().resolve("old.jar");
        write(out, targets, BlockEdits.none());
        Map<String, String> before = Linked.all(out);
        assertTrue(Collections.frequency(before.values(), Linked.FINE) > before.size() / 2);
        before.values()
                .removeIf(outcome ->
                        !outcome.equals(Linked.FINE)); // these use later instructions, which edits can remove
        check(before, targets, "removed", (number, count) -> 0);
        check(before, targets, "repeated", (number, count) -> 3);
    }

    /** Makes a class of Java 5, without stack map frames. Classes that use later instructions are then damaged. */
    private static byte[] withoutFrames(ClassFile file) throws Exception {
        file.setMajorVersion(49);
        for (MethodInfo method : file.getMethods()) {
            if (method.getCodeAttribute() != null) {
                method.getCodeAttribute()
                        .getAttributes()
                        .removeIf(each -> each.getName().equals(StackMapTable.tag));
            }
        }
        ByteSink out = new ByteSink(1 << 16);
        file.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    @Test
    public void verifierAcceptsProbesInEditedClasses() throws Exception {
        Path file = write(
                targets(LANG), (number, count) -> Arrays.asList(0, 2, null).get(number % 3));
        Path out = temporary.getRoot().toPath().resolve("out.jar");
        Options options = Options.builder()
                .include(Collections.singletonList("**"))
                .edits(BlockEdits.read(file))
                .build();
        Path map = temporary.getRoot().toPath().resolve("map.json");
        Summary summary = BulkInstrumenter.run(Arrays.asList(new Input(LANG, out, Input.MAIN, ":")), options, map);
        assertTrue(summary.methods() > 3_000);
        assertEquals(Linked.all(LANG), Linked.all(out));
    }

    @Test
    public void manyBlocksCanBeEdited() throws Exception {
        for (Path jar : Chosen.of(JARS.subList(0, 2))) {
            int blocks = 0;
            int editable = 0;
            for (Target target : targets(jar)) {
                editable += target.blocks.size();
                for (MethodInfo method : target.file.getMethods()) {
                    blocks += method.getCodeAttribute() == null
                            ? 0
                            : BasicBlocks.of(method.getCodeAttribute()).blocks().size();
                }
            }
            assertTrue(jar + ": " + editable + " of " + blocks, editable > blocks / 10);
        }
    }

    private static List<Target> targets(Path jar) throws Exception {
        List<Target> targets = new ArrayList<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")) {
                    targets.add(new Target(entry.getName(), Io.read(zip.getInputStream(entry))));
                }
            }
        }
        return targets;
    }

    private Path write(List<Target> targets, Choice choice) throws IOException {
        List<String> lines = new ArrayList<>();
        targets.forEach(target -> lines.addAll(target.lines(choice)));
        return Files.write(temporary.getRoot().toPath().resolve("edits.txt"), lines, StandardCharsets.UTF_8);
    }

    private void check(Map<String, String> before, List<Target> targets, String what, Choice choice) throws Exception {
        BlockEdits edits = BlockEdits.read(write(targets, choice));
        Path out = temporary.getRoot().toPath().resolve("edited.jar");
        write(out, targets, edits);
        Map<String, String> differences = new TreeMap<>(Linked.all(out));
        differences.keySet().retainAll(before.keySet());
        differences.entrySet().removeIf(each -> each.getValue().equals(before.get(each.getKey())));
        assertEquals(what, Collections.emptyMap(), differences);
    }

    private static void write(Path out, List<Target> targets, BlockEdits edits) throws Exception {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(out))) {
            zip.setLevel(0);
            for (Target target : targets) {
                byte[] edited = edits.apply(target.file.getName(), target.bytes);
                zip.putNextEntry(new ZipEntry(target.path));
                zip.write(edited);
                if (edited != target.bytes) {
                    sameBlocks(target.file, new ClassFile(new DataInputStream(new ByteSource(edited))));
                }
            }
        }
    }

    private static void sameBlocks(ClassFile original, ClassFile edited) throws Exception {
        for (int i = 0; i < original.getMethods().size(); i++) {
            MethodInfo method = original.getMethods().get(i);
            if (method.getCodeAttribute() != null) {
                List<BasicBlocks.Block> before =
                        BasicBlocks.of(method.getCodeAttribute()).blocks();
                List<BasicBlocks.Block> after = BasicBlocks.of(
                                edited.getMethods().get(i).getCodeAttribute())
                        .blocks();
                String place = original.getName() + "." + method;
                assertEquals(place, before.size(), after.size());
                for (int b = 0; b < before.size(); b++) {
                    assertEquals(place, before.get(b).successors, after.get(b).successors);
                    assertEquals(place, before.get(b).handlers, after.get(b).handlers);
                }
            }
        }
    }
}
