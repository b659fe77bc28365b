package org.navitas.census;

import static org.junit.Assert.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.MethodInfo;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;
import org.navitas.instrument.choice.Options;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.files.Input;
import org.navitas.instrument.run.BulkInstrumenter;
import org.navitas.runtime.BlockProbe;

/** Executions of blocks × operations of blocks are the executions of operations that were counted by hand. */
@RunWith(Parameterized.class)
public class ExecutionTest {
    private static final Pattern METHOD = Pattern.compile(
            "\"id\": ([0-9]+), \"class\": \"[^\"]*\", \"name\": \"([^\"]*)\", \"descriptor\": \"([^\"]*)\"");

    @ClassRule
    public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

    @Parameter(0)
    public Case each;

    @Parameter(1)
    public ClassCensus census;

    @Parameter(2)
    public Path folder;

    @Parameters(name = "{0}")
    public static List<Object[]> cases() throws Exception {
        TEMPORARY.create();
        List<Case> cases = Case.all("programs.txt");
        Path sources = Case.write(TEMPORARY.getRoot().toPath(), cases);
        Path folder = Case.javac(sources, cases, "javac");
        Map<String, ClassCensus> classes = Case.census(folder, sources);
        List<Object[]> all = new ArrayList<>();
        cases.forEach(each -> all.add(new Object[] {each, classes.get(each.className()), folder}));
        return all;
    }

    @Test
    public void countsExecutions() throws Exception {
        ClassFile file = read(folder);
        Map<Integer, Map<String, Integer>> operations = new HashMap<>();
        for (MethodCensus method : census.methods) {
            if (!method.name.startsWith("<")) {
                assertEquals(method.note, MethodCensus.SOURCE, method.by);
                insertCounters(file, method, operations);
            }
        }
        Arrays.fill(Counters.COUNTS, 0);
        run(file);
        Map<String, Integer> executed = new TreeMap<>();
        operations.forEach((block, counts) -> counts.forEach((name, count) -> {
            if (Counters.COUNTS[block] > 0) {
                executed.merge(name, count * Counters.COUNTS[block], Integer::sum);
            }
        }));
        assertEquals(each.expected, executed);
    }

    @Test
    public void countersOfABuildGiveTheSame() throws Exception {
        Path out = Files.createTempDirectory(TEMPORARY.getRoot().toPath(), "counted");
        Path map = out.resolveSibling(out.getFileName() + ".json");
        Options options = Options.builder()
                .include(Collections.singletonList(census.name))
                .probes(Probes.BLOCKS)
                .build();
        BulkInstrumenter.run(Collections.singletonList(new Input(folder, out, Input.MAIN, ":")), options, map);
        Map<String, Integer> ids = new HashMap<>();
        Matcher ofMethod = METHOD.matcher(new String(Files.readAllBytes(map), StandardCharsets.US_ASCII));
        while (ofMethod.find()) {
            ids.put(ofMethod.group(2) + ofMethod.group(3), Integer.parseInt(ofMethod.group(1)));
        }
        BlockProbe.COUNTS.clear();
        run(read(out));
        Map<String, Integer> executed = new TreeMap<>();
        for (MethodCensus method : census.methods) {
            long[] counters = BlockProbe.COUNTS.getOrDefault(
                    ids.get(method.name + method.descriptor), new long[method.counters.counters()]);
            assertEquals(method.counters.counters(), counters.length);
            for (int i = 0; i < method.counts.size() && !method.name.startsWith("<"); i++) {
                long times = method.counters.plus(i).stream()
                                .mapToLong(counter -> counters[counter])
                                .sum()
                        - method.counters.minus(i).stream()
                                .mapToLong(counter -> counters[counter])
                                .sum();
                method.counts
                        .get(i)
                        .forEach((name, count) -> executed.merge(name, (int) (count * times), Integer::sum));
            }
        }
        executed.values().removeIf(count -> count == 0);
        assertEquals(each.expected, executed);
    }

    private ClassFile read(Path classes) throws Exception {
        try (InputStream in = Files.newInputStream(classes.resolve(census.name + ".class"))) {
            return new ClassFile(new DataInputStream(in));
        }
    }

    private static void insertCounters(
            ClassFile file, MethodCensus method, Map<Integer, Map<String, Integer>> operations) throws Exception {
        MethodInfo info = file.getMethods().stream()
                .filter(one ->
                        one.getName().equals(method.name) && one.getDescriptor().equals(method.descriptor))
                .findFirst()
                .get();
        CodeAttribute code = info.getCodeAttribute();
        for (int i = method.counts.size() - 1; i >= 0; i--) {
            int number = operations.size();
            Bytecode hit = new Bytecode(file.getConstPool());
            hit.addIconst(number);
            hit.addInvokestatic(Counters.class.getName(), "hit", "(I)V");
            code.iterator().insertAt(method.blocks.blocks().get(i).firstPc, hit.get());
            operations.put(number, method.counts.get(i));
        }
        code.setMaxStack(code.getMaxStack() + 1);
    }

    private static void run(ClassFile file) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        file.write(new DataOutputStream(bytes));
        Class<?> program = new ClassLoader(ExecutionTest.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(file.getName(), bytes.toByteArray(), 0, bytes.size());
            }
        }.define();
        Method main = program.getDeclaredMethod("m");
        main.setAccessible(true);
        main.invoke(null);
    }
}
