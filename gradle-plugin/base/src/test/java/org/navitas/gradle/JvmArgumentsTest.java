package org.navitas.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Test;

public class JvmArgumentsTest {
  @Test
  public void agentsAndDebuggersAreLeftOutAndNamed() {
    JvmArguments arguments =
        new JvmArguments(
            Arrays.asList("-Xmx1g", "-javaagent:jacocoagent.jar=destfile=x", "-agentlib:jdwp=server=y", "-ea", "-agentpath:/p.so"));
    assertEquals(Arrays.asList("-Xmx1g", "-ea"), arguments.kept);
    assertEquals(3, arguments.warnings.size());
    assertTrue(arguments.warnings.get(0), arguments.warnings.get(0).contains("-javaagent:jacocoagent.jar=destfile=x"));
  }

  @Test
  public void orderIsKept() {
    JvmArguments arguments = new JvmArguments(Arrays.asList("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xss2m"));
    assertEquals(Arrays.asList("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xss2m"), arguments.kept);
    assertTrue(arguments.warnings.isEmpty());
  }
}
