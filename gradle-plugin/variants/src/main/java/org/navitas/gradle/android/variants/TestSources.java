package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.AndroidSourceSet;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.variant.Variant;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.navitas.gradle.NewerGradle;
import org.navitas.gradle.android.AndroidModule;

/** Finds out whether a variant has instrumentation tests. Each variant has a test component, usually an empty one. */
final class TestSources {
  private static final String TESTS = "androidTest";

  private TestSources() {}

  /** Looks in the source folders of the build files; ignores generated tests. */
  static boolean exist(CommonExtension<?, ?, ?, ?> android, Variant variant) {
    Set<String> names = new HashSet<>(Collections.singleton(TESTS));
    List<String> parts = new ArrayList<>(Arrays.asList(variant.getBuildType(), variant.getFlavorName(), variant.getName()));
    variant.getProductFlavors().forEach(flavor -> parts.add(flavor.getSecond()));
    parts.removeIf(part -> part == null || part.isEmpty());
    parts.forEach(part -> names.add(TESTS + AndroidModule.capitalized(part)));
    for (AndroidSourceSet set : android.getSourceSets()) {
      if (names.contains(set.getName()) && (anyFile(set.getJava()) || anyFile(set.getKotlin()))) {
        return true;
      }
    }
    return false;
  }

  /** Uses reflection for the folders: the API that this is compiled against lacks the method. */
  private static boolean anyFile(Object sources) {
    Object folders = NewerGradle.call(sources, sources.getClass(), "getSrcDirs");
    if (folders instanceof Iterable) {
      for (Object folder : (Iterable<?>) folders) {
        if (anyFile((File) folder)) {
          return true;
        }
      }
    }
    return false;
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
