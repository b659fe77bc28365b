package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.ApplicationBuildType;
import com.android.build.api.dsl.BuildType;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.dsl.ProductFlavor;
import com.android.build.api.variant.Variant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What the build files say of a variant. */
final class VariantFacts {
  private static final String ORCHESTRATOR = "orchestrator";
  private static final String CLEAR = "clearPackageData";

  private final CommonExtension<?, ?, ?, ?> android;
  private final Variant variant;

  VariantFacts(CommonExtension<?, ?, ?, ?> android, Variant variant) {
    this.android = android;
    this.variant = variant;
  }

  /** The same map with these facts as fields of a bundle. */
  Map<String, Object> in(Map<String, Object> setup) {
    Map<String, String> arguments = new LinkedHashMap<>(android.getDefaultConfig().getTestInstrumentationRunnerArguments());
    variant.getProductFlavors().forEach(pair -> {
      ProductFlavor flavor = android.getProductFlavors().getByName(pair.getSecond());
      arguments.putAll(flavor.getTestInstrumentationRunnerArguments());
    });
    String execution = android.getTestOptions().getExecution().toLowerCase(Locale.ROOT);
    setup.put("runner_arguments", arguments);
    setup.put("orchestrator", execution.contains(ORCHESTRATOR));
    setup.put("clear_package_data", Boolean.parseBoolean(arguments.get(CLEAR)));
    setup.put("debuggable", isDebuggable());
    setup.put("minified", isMinified());
    setup.put("min_sdk", variant.getMinSdkVersion().getApiLevel());
    return setup;
  }

  boolean isMinified() {
    return type().isMinifyEnabled();
  }

  /** The APK of a library's tests always is. */
  private boolean isDebuggable() {
    return !(type() instanceof ApplicationBuildType) || ((ApplicationBuildType) type()).isDebuggable();
  }

  private BuildType type() {
    return android.getBuildTypes().getByName(String.valueOf(variant.getBuildType()));
  }
}
