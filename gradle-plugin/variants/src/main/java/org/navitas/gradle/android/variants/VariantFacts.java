package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.ApplicationBuildType;
import com.android.build.api.dsl.BuildType;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.dsl.ProductFlavor;
import com.android.build.api.variant.Variant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.navitas.gradle.android.AndroidModule;

/** What the build files state about a variant. */
final class VariantFacts {
  private final CommonExtension<?, ?, ?, ?> android;
  private final Variant variant;

  VariantFacts(CommonExtension<?, ?, ?, ?> android, Variant variant) {
    this.android = android;
    this.variant = variant;
  }

  /** Returns fields of the variant's bundle. */
  Map<String, Object> setup(AndroidModule module) {
    Map<String, String> arguments = new LinkedHashMap<>(android.getDefaultConfig().getTestInstrumentationRunnerArguments());
    variant.getProductFlavors().forEach(pair -> {
      ProductFlavor flavor = android.getProductFlavors().getByName(pair.getSecond());
      arguments.putAll(flavor.getTestInstrumentationRunnerArguments());
    });
    return module.setup(
        variant.getName(), arguments, android.getTestOptions().getExecution(), isDebuggable(), isMinified(),
        variant.getMinSdkVersion().getApiLevel());
  }

  boolean isMinified() {
    return type().isMinifyEnabled();
  }

  /** A library's test APK is always debuggable. */
  private boolean isDebuggable() {
    return !(type() instanceof ApplicationBuildType) || ((ApplicationBuildType) type()).isDebuggable();
  }

  private BuildType type() {
    return android.getBuildTypes().getByName(String.valueOf(variant.getBuildType()));
  }
}
