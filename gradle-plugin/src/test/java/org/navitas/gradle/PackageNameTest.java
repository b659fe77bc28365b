package org.navitas.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import javax.lang.model.SourceVersion;
import org.junit.Test;

public class PackageNameTest {
  @Test
  public void groupAndNameAreJoined() {
    assertEquals("org.example.sample", PackageName.of("org.example", "sample"));
  }

  @Test
  public void otherCharactersBecomeUnderscores() {
    assertEquals("com.my_company.my_app", PackageName.of("com.my-company", "my app"));
  }

  @Test
  public void aModuleWithoutGroupIsLocal() {
    assertEquals("local.app", PackageName.of("", "app"));
  }

  @Test
  public void everyResultIsAValidPackageNameOfAtLeastTwoParts() {
    String[][] odd = {
      {"a..b", "x"}, {"1.2", "3"}, {"class", "New"}, {".", "."}, {"_", "_"}, {"ü.日本", "é"}, {"a", ".."}, {"true", "null"},
    };
    for (String[] names : odd) {
      String name = PackageName.of(names[0], names[1]);
      assertTrue(name, SourceVersion.isName(name) && name.contains(".") && name.matches("[A-Za-z0-9_.]+"));
    }
  }
}
