package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.ApplicationBuildType;
import com.android.build.api.dsl.BuildType;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.variant.AndroidTest;
import com.android.build.api.variant.AndroidVersion;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.CanMinifyCode;
import com.android.build.api.variant.Variant;
import java.util.Map;
import org.gradle.api.provider.MapProperty;
import org.navitas.gradle.NewerGradle;
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
        return module.setup(
                notice(module),
                variant.getName(),
                android.getTestOptions().getExecution(),
                isDebuggable(),
                isMinified(),
                minSdk().getApiLevel());
    }

    /**
     * Sets the arguments of the tests' runner. They are a property of the variant since 8.0, which build files can change; before,
     * only build types and flavors have them.
     */
    @SuppressWarnings("unchecked")
    void runnerArguments(AndroidTest test, MapProperty<String, String> into) {
        Object property = NewerGradle.call(test, AndroidTest.class, "getInstrumentationRunnerArguments");
        if (property != null) {
            into.set((MapProperty<String, String>) property);
            return;
        }
        into.putAll(android.getDefaultConfig().getTestInstrumentationRunnerArguments());
        variant.getProductFlavors()
                .forEach(pair -> into.putAll(android.getProductFlavors()
                        .getByName(pair.getSecond())
                        .getTestInstrumentationRunnerArguments()));
    }

    /** Returns what the build says about the APK with the variant's classes. */
    ProbeNotice notice(AndroidModule module) {
        return module.notice(variant.getName(), variant instanceof ApplicationVariant, isDebuggable());
    }

    boolean isMinified() {
        return variant instanceof CanMinifyCode && ((CanMinifyCode) variant).isMinifyEnabled();
    }

    /** JaCoCo would process modules after Navitas, and not recognize their classes later. */
    boolean hasCoverage() {
        return type().getEnableAndroidTestCoverage();
    }

    /** A library's test APK is always debuggable. */
    boolean isDebuggable() {
        return !(type() instanceof ApplicationBuildType) || ((ApplicationBuildType) type()).isDebuggable();
    }

    /** The variant has the property under another name since 8.1, and the old name is deprecated. */
    private AndroidVersion minSdk() {
        Object newer = NewerGradle.call(variant, Variant.class, "getMinSdk");
        return newer != null ? (AndroidVersion) newer : variant.getMinSdkVersion();
    }

    private BuildType type() {
        return android.getBuildTypes().getByName(String.valueOf(variant.getBuildType()));
    }
}
