package org.navitas.gradle;

import java.io.File;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.gradle.api.tasks.testing.Test;
import org.gradle.api.tasks.testing.TestFilter;

/** What a {@code Test} task runs of the classes in its folders. */
final class TestSelection {
    private static final Pattern ANONYMOUS = Pattern.compile(".*\\$\\d+");

    private TestSelection() {}

    /** Returns the field {@code test_task} of {@code bundle.json}, without what depends on compiled classes. */
    static Map<String, Object> of(Test test) {
        Map<String, Object> task = new LinkedHashMap<>();
        task.put("name", test.getName());
        task.put("enabled", test.getEnabled());
        task.put("scan_for_test_classes", test.isScanForTestClasses());
        task.put("fork_every", test.getForkEvery());
        task.put("include", new TreeSet<>(test.getFilter().getIncludePatterns()));
        Object excluded = NewerGradle.call(test.getFilter(), TestFilter.class.getName(), "getExcludePatterns");
        task.put("exclude", excluded == null ? new TreeSet<>() : new TreeSet<>((Collection<?>) excluded));
        task.putAll(TestFramework.of(test));
        return task;
    }

    /** Returns the names of the classes in the folders, without anonymous classes, which Gradle never runs as tests. */
    static SortedSet<String> classNames(Iterable<File> files, Collection<File> folders) {
        SortedSet<String> names = new TreeSet<>();
        for (File file : files) {
            for (File folder : folders) {
                if (file.getName().endsWith(".class") && file.toPath().startsWith(folder.toPath())) {
                    String path = folder.toPath().relativize(file.toPath()).toString();
                    String name =
                            path.substring(0, path.length() - ".class".length()).replace(File.separatorChar, '.');
                    if (!ANONYMOUS.matcher(name).matches()) {
                        names.add(name);
                    }
                }
            }
        }
        return names;
    }
}
