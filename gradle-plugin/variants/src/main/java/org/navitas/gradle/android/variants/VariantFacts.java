package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.ApplicationBuildType;
import com.android.build.api.dsl.BuildType;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.dsl.ProductFlavor;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.Variant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.ProbeNotice;

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
        notice(module), variant.getName(), arguments, android.getTestOptions().getExecution(), isDebuggable(), isMinified(),
        variant.getMinSdkVersion().getApiLevel());
  }

  /** Returns what the build says about the APK with the variant's classes. */
  ProbeNotice notice(AndroidModule module) {
    return module.notice(variant.getName(), variant instanceof ApplicationVariant, isDebuggable());
  }

  boolean isMinified() {
    return type().isMinifyEnabled();
  }

  /** A library's test APK is always debuggable. */
  boolean isDebuggable() {
    return !(type() instanceof ApplicationBuildType) || ((ApplicationBuildType) type()).isDebuggable();
  }

  private BuildType type() {
    return android.getBuildTypes().getByName(String.valueOf(variant.getBuildType()));
  }
}
