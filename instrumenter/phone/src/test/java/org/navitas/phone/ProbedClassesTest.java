package org.navitas.phone;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ProbedClassesTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void aClassAsTheBuildMadeItGetsProbesAndAChangedOneIsNamed() throws Exception {
        ClassFileTransformer agent = agent("p/A", "built", "with probes");
        assertArrayEquals(bytes("with probes"), agent.transform(null, "p/A", null, null, bytes("built")));
        assertNull(agent.transform(null, "p/Other", null, null, bytes("built")));
        assertNull(agent.transform(null, null, null, null, bytes("built"))); // a class without a name
        assertNull(ProbedClasses.warning());
        assertNull(agent.transform(null, "p/A", null, null, bytes("woven")));
        String warning = ProbedClasses.warning();
        assertTrue(warning, warning.endsWith("have no probes, and their energy counts as their callers': p.A"));
    }

    private ClassFileTransformer agent(String name, String built, String probed) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(bytes(built));
        File file = folder.newFile();
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file.toPath()))) {
            zip.putNextEntry(new ZipEntry(Long.toHexString(crc.getValue()) + "/" + name + ".class"));
            zip.write(bytes(probed));
        }
        ClassFileTransformer[] agent = new ClassFileTransformer[1];
        Class<?>[] type = {Instrumentation.class};
        Object jvm = Proxy.newProxyInstance(getClass().getClassLoader(), type, (proxy, method, arguments) -> {
            agent[0] = (ClassFileTransformer) arguments[0];
            return null;
        });
        ProbedClasses.premain(file.getPath(), (Instrumentation) jvm);
        return agent[0];
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
