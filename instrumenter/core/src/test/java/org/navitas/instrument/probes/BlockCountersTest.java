package org.navitas.instrument.probes;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
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
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javassist.bytecode.Bytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.navitas.instrument.choice.Probes;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.classes.ClassInstrumenter;
import org.navitas.instrument.code.BasicBlocks;
import org.navitas.instrument.code.MalformedClassException;
import org.navitas.instrument.testing.Compiled;
import org.navitas.runtime.BlockProbe;

/**
 * Counters and formulas give the executions of all blocks that a call of the runtime at the start of each block counts,
 * inserted by Javassist. The programs are those of {@code src/test/resources/targets} and {@code counted}.
 */
@RunWith(Parameterized.class)
public class BlockCountersTest {
    private static final List<long[]> HITS = new ArrayList<>();

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private final String name;
    private final String source;

    public BlockCountersTest(String name, String source) {
        this.name = name;
        this.source = source;
    }

    @Parameters(name = "{0}")
    public static List<Object[]> programs() throws Exception {
        List<Object[]> programs = new ArrayList<>();
        for (String folder : new String[] {"/targets", "/counted"}) {
            for (File file :
                    new File(BlockCountersTest.class.getResource(folder).toURI()).listFiles()) {
                String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
                if (file.getName().endsWith(".java.txt")) {
                    programs.add(new Object[] {file.getName().replace(".java.txt", ""), text});
                }
            }
        }
        return programs;
    }

    /** Called by the code that Javassist inserts. */
    public static void hit(int method, int block) {
        HITS.get(method)[block]++;
    }

    @Test
    public void countsEachBlock() throws Exception {
        Path folder = temporary.getRoot().toPath().resolve("classes");
        Compiled.any(folder, release(source), "targets." + name, source);
        Map<String, byte[]> originals = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".class")).collect(Collectors.toList())) {
                originals.put(
                        folder.relativize(file).toString().replace(".class", "").replace(File.separatorChar, '.'),
                        Files.readAllBytes(file));
            }
        }
        Map<String, Integer> ids = new HashMap<>();
        HITS.clear();
        run(originals, bytes -> hits(bytes, ids));
        List<CounterPlacement> placements = new ArrayList<>();
        BlockProbe.take();
        run(originals, bytes -> counters(bytes, ids, placements));
        Map<Integer, long[]> counts = BlockProbe.take();
        long executed = 0;
        for (Map.Entry<String, Integer> method : ids.entrySet()) {
            int id = method.getValue();
            long[] hits = HITS.get(id);
            for (int block = 0; block < hits.length; block++) {
                CounterPlacement placement = placements.get(id);
                long[] counters = counts.getOrDefault(id, new long[placement.counters()]);
                assertEquals(
                        method.getKey() + ", block " + block,
                        hits[block],
                        CounterPlacementTest.value(placement, block, counters));
                executed += hits[block];
            }
        }
        assertTrue(executed + " executions", executed > 5);
    }

    private static int release(String source) {
        return Integer.parseInt(source.replaceAll("(?s).*// release (\\d+).*", "$1"));
    }

    private void run(Map<String, byte[]> originals, UnaryOperator<byte[]> change) throws Exception {
        Map<String, byte[]> changed = new HashMap<>();
        originals.forEach((each, bytes) -> changed.put(each, loadable(change.apply(bytes))));
        ClassLoader loader = new ClassLoader(BlockCountersTest.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String wanted) throws ClassNotFoundException {
                byte[] bytes = changed.get(wanted);
                if (bytes == null) {
                    throw new ClassNotFoundException(wanted);
                }
                return defineClass(wanted, bytes, 0, bytes.length);
            }
        };
        try {
            loader.loadClass("targets." + name).getMethod("run").invoke(null);
        } catch (InvocationTargetException e) {
            throw new AssertionError("run() failed", e.getCause());
        }
    }

    private static byte[] loadable(byte[] bytes) {
        try {
            return Compiled.loadable(bytes);
        } catch (MalformedClassException e) {
            throw new AssertionError(e);
        }
    }

    private static String key(ClassFile file, MethodInfo method) {
        return file.getName() + '.' + method.getName() + method.getDescriptor();
    }

    private static byte[] hits(byte[] bytes, Map<String, Integer> ids) {
        try {
            ClassFile file = new ClassFile(new DataInputStream(new ByteArrayInputStream(bytes)));
            for (MethodInfo method : file.getMethods()) {
                if (method.getCodeAttribute() == null) {
                    continue;
                }
                BasicBlocks blocks = BasicBlocks.of(method.getCodeAttribute());
                ids.put(key(file, method), HITS.size());
                for (int block = blocks.blocks().size() - 1; block >= 0; block--) {
                    Bytecode hit = new Bytecode(file.getConstPool());
                    hit.addIconst(HITS.size());
                    hit.addIconst(block);
                    hit.addInvokestatic(BlockCountersTest.class.getName(), "hit", "(II)V");
                    method.getCodeAttribute()
                            .iterator()
                            .insertAt(blocks.blocks().get(block).firstPc, hit.get());
                }
                method.getCodeAttribute().setMaxStack(method.getCodeAttribute().getMaxStack() + 2);
                HITS.add(new long[blocks.blocks().size()]);
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            file.write(new DataOutputStream(out));
            return out.toByteArray();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] counters(byte[] bytes, Map<String, Integer> ids, List<CounterPlacement> placements) {
        ClassInstrumenter done =
                ClassInstrumenter.instrument(bytes, "fallback", (c, m, code) -> null, null, Probes.BLOCKS);
        try {
            ClassFile file = new ClassFile(new DataInputStream(new ByteArrayInputStream(bytes)));
            for (MethodInfo method : file.getMethods()) {
                if (method.getCodeAttribute() != null) {
                    int id = ids.get(key(file, method));
                    while (placements.size() <= id) {
                        placements.add(null);
                    }
                    placements.set(id, CounterPlacement.of(method, BasicBlocks.of(method.getCodeAttribute())));
                }
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        List<String> reasons =
                done.info.skipped.stream().map(each -> each.reason).collect(Collectors.toList());
        reasons.removeAll(Arrays.asList(Skipped.ABSTRACT, Skipped.NATIVE));
        assertEquals(Collections.emptyList(), reasons);
        return done.bytes(done.info.methods.stream()
                .mapToInt(each -> ids.get(done.info.name + '.' + each.name + each.descriptor))
                .toArray());
    }
}
