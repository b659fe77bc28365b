package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.ApplicationBuildType;
import com.android.build.api.dsl.ApplicationExtension;
import com.android.build.api.dsl.BuildType;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.dsl.TestedExtension;
import com.android.build.api.variant.Variant;
import org.navitas.gradle.android.AndroidModule;

/** Lets the tests be built for the variant that is asked for; Android builds them for one build type alone. */
final class TestedBuildType {
  private static final String BENCHMARK = "benchmark";
  private static final String RELEASE = "release";
  private static final String DEBUG = "debug";
  /** The first platform whose manifests know {@code profileable}. */
  private static final int PROFILEABLE_SDK = 29;

  private TestedBuildType() {}

  /**
   * @param variant the one asked for, null for none; of {@code benchmark} the build type is made where there is none:
   *     a release that can be installed and profiled
   */
  static void choose(CommonExtension<?, ?, ?, ?> android, String variant) {
    if (variant == null) {
      return;
    }
    boolean isThere = android.getBuildTypes().findByName(BENCHMARK) != null;
    if (is(variant, BENCHMARK) && !isThere && android instanceof ApplicationExtension) {
      addBenchmark((ApplicationExtension) android);
    }
    for (BuildType type : android.getBuildTypes()) {
      if (is(variant, type.getName())) {
        ((TestedExtension) android).setTestBuildType(type.getName());
      }
    }
  }

  /** Whether a variant is of the build type that Android makes tests for. */
  static boolean is(CommonExtension<?, ?, ?, ?> android, Variant variant) {
    return ((TestedExtension) android).getTestBuildType().equals(variant.getBuildType());
  }

  private static boolean is(String variant, String buildType) {
    return variant.equals(buildType) || variant.endsWith(AndroidModule.capitalized(buildType));
  }

  private static void addBenchmark(ApplicationExtension android) {
    ApplicationBuildType type = android.getBuildTypes().create(BENCHMARK);
    type.initWith(android.getBuildTypes().getByName(RELEASE));
    type.setDebuggable(false);
    type.setSigningConfig(android.getSigningConfigs().getByName(DEBUG));
    type.getMatchingFallbacks().add(RELEASE);
    if (android.getCompileSdk() != null && android.getCompileSdk() >= PROFILEABLE_SDK) {
      type.setProfileable(true);
    }
  }
}
