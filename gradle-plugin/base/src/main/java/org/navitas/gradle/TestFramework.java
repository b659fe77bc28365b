package org.navitas.gradle;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.gradle.api.tasks.testing.Test;

/** The framework that runs a task's tests; Gradle supports the JUnit Platform since 4.6. */
final class TestFramework {
    static final String JUNIT_PLATFORM = "junit-platform";
    private static final String PLATFORM_OPTIONS = "org.gradle.api.tasks.testing.junitplatform.JUnitPlatformOptions";
    private static final String TESTNG_OPTIONS = "org.gradle.api.tasks.testing.testng.TestNGOptions";

    private TestFramework() {}

    /** Returns fields of {@code test_task}: {@code framework}, and the engines and tags that the build selects. */
    static Map<String, Object> of(Test test) {
        Map<String, Object> fields = new LinkedHashMap<>();
        Object options = test.getOptions();
        if (isA(options, PLATFORM_OPTIONS)) {
            fields.put("framework", JUNIT_PLATFORM);
            fields.put("include_engines", names(options, "getIncludeEngines"));
            fields.put("exclude_engines", names(options, "getExcludeEngines"));
            fields.put("include_tags", names(options, "getIncludeTags"));
            fields.put("exclude_tags", names(options, "getExcludeTags"));
        } else {
            fields.put("framework", isA(options, TESTNG_OPTIONS) ? "testng" : "junit4");
        }
        return fields;
    }

    static boolean isPlatform(Test test) {
        return isA(test.getOptions(), PLATFORM_OPTIONS);
    }

    /** Returns whether an object is an instance of a class that this Gradle may lack. */
    private static boolean isA(Object object, String className) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(className)) {
                return true;
            }
        }
        return false;
    }

    private static TreeSet<String> names(Object options, String method) {
        TreeSet<String> names = new TreeSet<>();
        Object found = NewerGradle.call(options, PLATFORM_OPTIONS, method);
        if (found != null) {
            for (Object name : (Collection<?>) found) {
                names.add(name.toString());
            }
        }
        return names;
    }
}
