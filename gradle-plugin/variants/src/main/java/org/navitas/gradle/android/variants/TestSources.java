package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.AndroidSourceDirectorySet;
import com.android.build.api.dsl.AndroidSourceSet;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.variant.AndroidTest;
import com.android.build.api.variant.SourceDirectories;
import com.android.build.api.variant.Variant;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.gradle.api.file.Directory;
import org.gradle.api.provider.Provider;
import org.navitas.gradle.NewerGradle;
import org.navitas.gradle.android.AndroidModule;

/** Finds out whether a variant has instrumentation tests. Each variant has a test component, usually an empty one. */
final class TestSources {
    private static final String TESTS = "androidTest";
    /** The public interface with the folders of a source set, up to version 8. */
    private static final String OLDER_SET = "com.android.build.gradle.api.AndroidSourceDirectorySet";

    private TestSources() {}

    /** Looks in the source folders of the build files; ignores generated tests. */
    static boolean exist(CommonExtension<?, ?, ?, ?> android, Variant variant, AndroidTest test) {
        for (File folder : folders(android, variant, test)) {
            if (anyFile(folder)) {
                return true;
            }
        }
        return false;
    }

    /** The component's folders are known since 8.3; before, they could not be read until generated sources are written. */
    private static List<File> folders(CommonExtension<?, ?, ?, ?> android, Variant variant, AndroidTest test) {
        List<File> folders = new ArrayList<>();
        for (SourceDirectories.Flat sources :
                Arrays.asList(test.getSources().getJava(), test.getSources().getKotlin())) {
            if (sources != null) {
                Object fixed = NewerGradle.call(sources, SourceDirectories.Flat.class, "getStatic");
                if (fixed == null) {
                    return older(android, variant);
                }
                ((Iterable<?>) ((Provider<?>) fixed).get())
                        .forEach(folder -> folders.add(((Directory) folder).getAsFile()));
            }
        }
        return folders;
    }

    private static List<File> older(CommonExtension<?, ?, ?, ?> android, Variant variant) {
        Set<String> names = new HashSet<>(Collections.singleton(TESTS));
        List<String> parts =
                new ArrayList<>(Arrays.asList(variant.getBuildType(), variant.getFlavorName(), variant.getName()));
        variant.getProductFlavors().forEach(flavor -> parts.add(flavor.getSecond()));
        parts.removeIf(part -> part == null || part.isEmpty());
        parts.forEach(part -> names.add(TESTS + AndroidModule.capitalized(part)));
        List<File> folders = new ArrayList<>();
        for (AndroidSourceSet set : android.getSourceSets()) {
            if (names.contains(set.getName())) {
                for (AndroidSourceDirectorySet sources : Arrays.asList(set.getJava(), set.getKotlin())) {
                    Object found = NewerGradle.call(sources, olderSet(), "getSrcDirs");
                    ((Iterable<?>) found).forEach(folder -> folders.add((File) folder));
                }
            }
        }
        return folders;
    }

    private static Class<?> olderSet() {
        try {
            return Class.forName(OLDER_SET, false, AndroidSourceDirectorySet.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("this Android Gradle Plugin shows the folders of tests in no known way", e);
        }
    }

    private static boolean anyFile(File folder) {
        File[] files = folder.listFiles();
        if (files != null) {
            for (File file : files) {
                if (file.isFile() || anyFile(file)) {
                    return true;
                }
            }
        }
        return false;
    }
}
