package org.navitas.instrument.classes;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.MethodChoice;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.files.Io;
import org.navitas.instrument.hooks.HookTable;
import org.navitas.instrument.testing.Compiled;
import org.navitas.instrument.testing.Libraries;
import org.navitas.instrument.testing.Linked;
import org.navitas.instrument.testing.Mutator;

/**
 * Mutants of real classes: instrumentation never throws, and never makes a class that the JVM refuses of one that it takes.
 *
 * <p>A third of them has no hooks, and is also instrumented with counters, a third those of calls that are frequent in all classes, and a third, of classes that
 * use files, the network or executors, those of the platform.
 *
 * <p>{@code -Dnavitas.fuzz.count} mutants (600; {@code make fuzz}: 10 000) of {@code -Dnavitas.fuzz.seed}; a failure names both, and
 * {@code -Dnavitas.fuzz.only} runs that mutant alone.
 */
public class FuzzTest {
    private static final MethodChoice EVERY_METHOD = (name, method, code) -> null;
    private static final MethodChoice NO_METHOD = (name, method, code) -> Skipped.EXCLUDED;
    private static final long SEED = Long.getLong("navitas.fuzz.seed", 20260101);
    private static final int COUNT = Integer.getInteger("navitas.fuzz.count", 600);
    private static final int ONLY = Integer.getInteger("navitas.fuzz.only", -1);
    private static final int EVERY = 7;
    private static final String HOOKS = "org.navitas.instrument.hooks.CallSitesTest$Hooks";
    /** Calls that are frequent in the mutated classes. Methods of hooks are not called, so they need not exist. */
    private static final HookTable TABLE = HookTable.of("new java.util.ArrayList " + HOOKS
            + "$Noted ()V,(I)V,(Ljava/util/Collection;)V\n"
            + "call java.util.Iterator,java.util.ListIterator hasNext ()Z " + HOOKS + "\n"
            + "call java.util.Iterator,java.util.ListIterator next ()Ljava/lang/Object; " + HOOKS + "\n"
            + "call java.lang.Object,java.lang.String hashCode ()I " + HOOKS + "\n"
            + "call java.lang.StringBuilder append (Ljava/lang/String;)Ljava/lang/StringBuilder; " + HOOKS + "\n"
            + "static java.lang.Math max (II)I " + HOOKS + "\n"
            + "start java.lang.Object equals (Ljava/lang/Object;)Z " + HOOKS + "\n"
            + "start java.lang.Object toString ()Ljava/lang/String; " + HOOKS + "\n"
            + "start java.util.Map get (Ljava/lang/Object;)Ljava/lang/Object; " + HOOKS + "\n"
            + "start java.util.Iterator next ()Ljava/lang/Object; " + HOOKS + "\n");

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    /** Has a subclass for each class that the platform's hooks create instead of another. Only its superclass matters to the JVM. */
    private static final ClassLoader WITH_HOOKS = new ClassLoader(FuzzTest.class.getClassLoader()) {
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            String superclass = created().get(name);
            if (superclass == null) {
                throw new ClassNotFoundException(name);
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try {
                ClassFile file = new ClassFile(false, name, superclass);
                file.setMajorVersion(ClassFile.JAVA_8);
                file.setAccessFlags(AccessFlag.PUBLIC);
                file.write(new DataOutputStream(out));
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
            return defineClass(name, out.toByteArray(), 0, out.size());
        }
    };

    @Test
    public void skipsMutantsOrInstrumentsThemCorrectly() throws Exception {
        List<byte[]> corpus = corpus();
        List<byte[]> hooked = hooked();
        Map<Mutator.Kind, int[]> tallies = new EnumMap<>(Mutator.Kind.class);
        List<String> failures = new ArrayList<>();
        for (int number = Math.max(0, ONLY); number < (ONLY < 0 ? COUNT : ONLY + 1); number++) {
            Mutator mutator = new Mutator(SEED * 1_000_003 + number);
            Mutator.Kind kind = mutator.kind();
            HookTable table = Arrays.asList(null, TABLE, HookTable.platform()).get(number % 3);
            List<byte[]> originals = table == HookTable.platform() ? hooked : corpus;
            byte[] mutant = mutator.mutate(originals.get(number / 3 % originals.size()), kind);
            int[] tally = tallies.computeIfAbsent(kind, k -> new int[3]);
            String failure = check(mutant, table, Probes.METHODS, tally);
            failure = failure == null && table == null ? check(mutant, table, Probes.BLOCKS, new int[3]) : failure;
            if (failure != null) {
                failures.add("-Dnavitas.fuzz.seed=" + SEED + " -Dnavitas.fuzz.only=" + number + " (" + kind + "): "
                        + failure);
            }
        }
        StringBuilder printed = new StringBuilder();
        tallies.forEach((kind, tally) -> printed.append(String.format(
                "%-10s %5d mutants, %5d with probes, %5d of them taken by the JVM%n",
                kind, tally[0], tally[1], tally[2])));
        if (System.getProperty("navitas.fuzz.count") != null) {
            System.out.print(printed);
        }
        assertEquals(String.join("\n", failures), 0, failures.size());
        int taken = tallies.values().stream().mapToInt(tally -> tally[2]).sum();
        assertTrue("too few mutants pass the verifier\n" + printed, ONLY >= 0 || taken > COUNT / 5);
    }

    /** Returns null if all is well. {@code tally} counts mutants, those with probes, and those that the JVM accepts. */
    private static String check(byte[] mutant, HookTable hooks, Probes probes, int[] tally) {
        tally[0]++;
        byte[] before = mutant.clone();
        ClassInstrumenter done;
        byte[] after;
        try {
            done = ClassInstrumenter.instrument(mutant, "mutant", EVERY_METHOD, hooks, probes);
            after = done.bytes(new int[done.info.methods.size()]);
        } catch (Throwable e) {
            return "threw " + e;
        }
        if (!Arrays.equals(before, mutant)) {
            return "changed its input";
        }
        if (!done.info.changed()) {
            return Arrays.equals(before, after) ? null : "changed a class that it skipped";
        }
        tally[1]++;
        String linked = Linked.alone(before, WITH_HOOKS);
        if (!linked.equals(Linked.FINE)) {
            return null;
        }
        tally[2]++;
        linked = Linked.alone(after, WITH_HOOKS);
        return linked.equals(Linked.FINE) ? null : "the JVM takes the mutant, but not the instrumented one: " + linked;
    }

    /** Classes that can be linked alone: of Guava, Kotlin and coroutines, and of newer Java. */
    private List<byte[]> corpus() throws Exception {
        List<byte[]> candidates = new ArrayList<>();
        for (Path jar : Libraries.JARS) {
            candidates.addAll(Libraries.classes(jar, EVERY));
        }
        try (InputStream modern = FuzzTest.class.getResourceAsStream("/targets/Modern.java.txt")) {
            Path folder = temporary.getRoot().toPath();
            Compiled.into(folder, 17, "targets.Modern", new String(Io.read(modern), StandardCharsets.UTF_8));
            for (File file : folder.resolve("targets").toFile().listFiles()) {
                candidates.addAll(Collections.nCopies(EVERY, Files.readAllBytes(file.toPath())));
            }
        }
        List<byte[]> corpus = new ArrayList<>();
        for (byte[] one : candidates) {
            ClassFile file = new ClassFile(new DataInputStream(new ByteArrayInputStream(one)));
            boolean code = file.getMethods().stream().anyMatch(method -> method.getCodeAttribute() != null);
            if (code && Linked.alone(one, FuzzTest.class.getClassLoader()).equals(Linked.FINE)) {
                corpus.add(one);
            }
        }
        assertTrue(corpus.size() > 300);
        return corpus;
    }

    /** Classes of the libraries in which the platform's hooks replace a call. */
    private static List<byte[]> hooked() throws Exception {
        List<byte[]> found = new ArrayList<>();
        for (Path jar : Libraries.JARS) {
            for (byte[] one : Libraries.classes(jar, 1)) {
                ClassInstrumenter done = ClassInstrumenter.instrument(one, "library", NO_METHOD, HookTable.platform());
                if (done.info.changed() && Linked.alone(one, WITH_HOOKS).equals(Linked.FINE)) {
                    found.add(one);
                }
            }
        }
        assertTrue("only " + found.size() + " classes have calls with hooks", found.size() > 30);
        return found;
    }

    /** Returns the superclasses of the classes that the platform's hooks create. */
    private static Map<String, String> created() {
        Map<String, String> found = new HashMap<>();
        try (InputStream in = HookTable.class.getResourceAsStream("/org/navitas/instrument/hooks.txt")) {
            for (String line : new String(Io.read(in), StandardCharsets.UTF_8).split("\n")) {
                String[] words = line.split(" ");
                if (words[0].equals("new")) {
                    found.put(words[2], words[1]);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }
}
