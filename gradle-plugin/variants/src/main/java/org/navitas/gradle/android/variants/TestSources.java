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

/** Whether a variant has instrumentation tests: each is given a component for them, most leave it empty. */
final class TestSources {
  private static final String TESTS = "androidTest";

  private TestSources() {}

  /** Looks where the build files say that sources are; what is generated for tests is not asked for. */
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

  /** The folders can be asked for by a method that is no part of the API that we are compiled against. */
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
