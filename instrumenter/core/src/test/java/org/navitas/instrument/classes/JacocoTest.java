package org.navitas.instrument.classes;

import static org.junit.Assert.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javassist.bytecode.ClassFile;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.IRuntime;
import org.jacoco.core.runtime.RuntimeData;
import org.jacoco.core.runtime.SystemPropertiesRuntime;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.instrument.choice.Skipped;
import org.navitas.instrument.files.ByteSource;
import org.navitas.instrument.testing.Compiled;
import org.navitas.runtime.Probe;

/** Classes with both JaCoCo's probes and ours, added in either order. */
public class JacocoTest {
    private static final String INIT = "$jacocoInit";
    private static final String TARGET = "covered.Target";
    private static final String SOURCE = "package covered;\n"
            + "public class Target implements Runnable {\n"
            + "  interface Named { default String name() { return \"n\" + getClass().hashCode(); } }\n"
            + "  static final class Thing implements Named { Thing(int x) { if (x > 1) run(); } void run() {} }\n"
            + "  static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n"
            + "  public void run() { fact(2); new Thing(2).name(); try { fail(); } catch (IllegalStateException e) {"
            + " fact(1); } }\n"
            + "  static void fail() { throw new IllegalStateException(); }\n"
            + "}\n";
    private static final String TRACE =
            ">Target.<init> <Target.<init> >Target.run >Target.fact >Target.fact <Target.fact <Target.fact"
                + " >Target$Thing.<init> >Target$Thing.run <Target$Thing.run <Target$Thing.<init> >Target$Named.name"
                + " <Target$Named.name >Target.fail !Target.fail >Target.fact <Target.fact <Target.run";

    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private final IRuntime runtime = new SystemPropertiesRuntime();
    private final RuntimeData data = new RuntimeData();
    private final Instrumenter jacoco = new Instrumenter(runtime);
    private final List<String> names = new ArrayList<>();

    @Before
    public void start() throws Exception {
        runtime.startup(data);
    }

    @After
    public void stop() {
        runtime.shutdown();
    }

    @Test
    public void bothRecordIfJacocoIsFirst() throws Exception {
        for (int release : new int[] {8, 17}) { // with a method that calls the agent, and with dynamic constants
            Map<String, byte[]> classes = compiled(release);
            for (Map.Entry<String, byte[]> each : classes.entrySet()) {
                byte[] covered = jacoco.instrument(each.getValue(), each.getKey());
                ClassInstrumenter done =
                        ClassInstrumenter.instrument(covered, each.getKey(), (name, method, code) -> null);
                List<String> skipped = done.info.skipped.stream()
                        .filter(one -> one.method.startsWith(INIT))
                        .map(one -> one.reason)
                        .collect(Collectors.toList());
                assertEquals(each.getKey(), Collections.singletonList(Skipped.COVERAGE), skipped);
                each.setValue(probed(done));
                assertEquals(fields(covered), fields(each.getValue()));
            }
            checkRecords(classes);
        }
    }

    @Test
    public void bothRecordIfJacocoIsLast() throws Exception {
        for (int release : new int[] {8, 17}) {
            Map<String, byte[]> classes = compiled(release);
            for (Map.Entry<String, byte[]> each : classes.entrySet()) {
                byte[] probed = probed(
                        ClassInstrumenter.instrument(each.getValue(), each.getKey(), (name, method, code) -> null));
                each.setValue(jacoco.instrument(probed, each.getKey()));
            }
            checkRecords(classes);
        }
    }

    private Map<String, byte[]> compiled(int release) throws Exception {
        names.clear();
        Path folder = temporary.newFolder().toPath();
        Compiled.into(folder, release, TARGET, SOURCE);
        Map<String, byte[]> classes = new LinkedHashMap<>();
        for (String name : Arrays.asList(TARGET, TARGET + "$Thing", TARGET + "$Named")) {
            classes.put(name, Files.readAllBytes(folder.resolve(name.replace('.', '/') + ".class")));
        }
        return classes;
    }

    /** Returns a class with probes. Its ids are places in {@link #names}. */
    private byte[] probed(ClassInstrumenter done) {
        int first = names.size();
        done.info.methods.forEach(
                method -> names.add(done.info.name.substring("covered.".length()) + "." + method.name));
        return done.bytes(IntStream.range(first, names.size()).toArray());
    }

    private static String fields(byte[] bytes) throws Exception {
        return new ClassFile(new java.io.DataInputStream(new ByteSource(bytes)))
                .getFields()
                .toString();
    }

    private void checkRecords(Map<String, byte[]> classes) throws Exception {
        ClassLoader loader = new ClassLoader(JacocoTest.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] bytes = classes.get(name);
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
        Probe.take();
        ((Runnable) loader.loadClass(TARGET).getConstructor().newInstance()).run();
        String trace = Probe.take().stream()
                .map(event -> event.charAt(0) + names.get(Integer.parseInt(event.substring(1))))
                .collect(Collectors.joining(" "));
        assertEquals(TRACE, trace);
        ExecutionDataStore found = new ExecutionDataStore();
        data.collect(found, new SessionInfoStore(), false);
        List<String> covered = found.getContents().stream()
                .filter(each -> each.hasHits())
                .map(each -> each.getName())
                .sorted()
                .collect(Collectors.toList());
        assertEquals(Arrays.asList("covered/Target", "covered/Target$Named", "covered/Target$Thing"), covered);
        data.reset();
    }
}
