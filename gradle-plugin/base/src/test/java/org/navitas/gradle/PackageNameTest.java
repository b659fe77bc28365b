package org.navitas.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.lang.model.SourceVersion;
import org.junit.Test;

public class PackageNameTest {
    @Test
    public void joinsGroupAndName() {
        assertEquals("org.example.sample", PackageName.of("org.example", "sample"));
    }

    @Test
    public void replacesOtherCharactersByUnderscores() {
        assertEquals("com.my_company.my_app", PackageName.of("com.my-company", "my app"));
    }

    @Test
    public void moduleWithoutGroupIsLocal() {
        assertEquals("local.app", PackageName.of("", "app"));
    }

    @Test
    public void returnsValidPackageNameOfAtLeastTwoParts() {
        String[][] odd = {
            {"a..b", "x"},
            {"1.2", "3"},
            {"class", "New"},
            {".", "."},
            {"_", "_"},
            {"ü.日本", "é"},
            {"a", ".."},
            {"true", "null"},
        };
        for (String[] names : odd) {
            String name = PackageName.of(names[0], names[1]);
            assertTrue(name, SourceVersion.isName(name) && name.contains(".") && name.matches("[A-Za-z0-9_.]+"));
        }
    }

    @Test
    public void projectsOfSameNameDifferByPath() {
        SortedMap<String, String> names = new TreeMap<>();
        for (String path : new String[] {
            ":", ":api", ":core", ":a:lib", ":b:lib", ":b:Lib", ":c", ":a-b", ":a_b", ":x:a_b", ":b_lib"
        }) {
            names.put(path, path.equals(":") ? "core" : path.substring(path.lastIndexOf(':') + 1));
        }
        Map<String, String> distinct = PackageName.distinct(names);
        assertEquals("api", distinct.get(":api"));
        assertEquals("a_lib", distinct.get(":a:lib"));
        assertEquals("core", distinct.get(":"));
        assertEquals("core_2", distinct.get(":core"));
        for (String[] groups : new String[][] {{"g", "g"}, {"", "g.a"}}) {
            Set<String> packages = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
            int number = 0;
            for (String name : distinct.values()) {
                packages.add(PackageName.of(groups[number++ % 2], name));
            }
            assertEquals(packages.toString(), names.size(), packages.size());
        }
    }
}
