package org.navitas.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class JvmArgumentsTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void dropsNativeAgentsDebuggersAndJacocoWithWarning() {
        JvmArguments arguments = of(
                "-Xmx1g",
                "-javaagent:/a/jacocoagent.jar=destfile=x",
                "-agentlib:jdwp=server=y",
                "-ea",
                "-agentpath:/p.so");
        assertEquals(Arrays.asList("-Xmx1g", "-ea"), arguments.kept);
        assertEquals(3, arguments.warnings.size());
        assertTrue(
                arguments.warnings.get(0),
                arguments.warnings.get(0).contains("-javaagent:/a/jacocoagent.jar=destfile=x"));
    }

    @Test
    public void keepsJavaAgentIfItsJarExists() throws Exception {
        String there = "-javaagent:" + folder.newFile("agent.jar") + "=a=b";
        JvmArguments arguments = of(there, "-javaagent:agent.jar", "-javaagent:none.jar");
        assertEquals(Arrays.asList(there, "-javaagent:agent.jar"), arguments.kept);
        assertEquals(1, arguments.warnings.size());
        assertTrue(
                arguments.warnings.get(0),
                arguments.warnings.get(0).contains("there is no file " + folder.getRoot() + "/none.jar"));
    }

    @Test
    public void keepsOrder() {
        JvmArguments arguments = of("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xss2m");
        assertEquals(Arrays.asList("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xss2m"), arguments.kept);
        assertTrue(arguments.warnings.isEmpty());
    }

    private JvmArguments of(String... arguments) {
        return new JvmArguments(Arrays.asList(arguments), folder.getRoot());
    }
}
