package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.ApplicationBuildType;
import com.android.build.api.dsl.ApplicationExtension;
import com.android.build.api.dsl.BuildType;
import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.dsl.TestedExtension;
import com.android.build.api.variant.Variant;
import org.navitas.gradle.android.AndroidModule;

/** Makes Android build tests for the selected variant; by default it does so for one build type only. */
final class TestedBuildType {
    private static final String BENCHMARK = "benchmark";
    private static final String RELEASE = "release";
    private static final String DEBUG = "debug";
    /** The first API level whose manifests support {@code profileable}. */
    private static final int PROFILEABLE_SDK = 29;

    private TestedBuildType() {}

    /**
     * Sets the tested build type.
     *
     * @param variant the selected variant, or null. If the build has no build type {@code benchmark}, selecting it adds
     *     one: a release that can be installed and profiled.
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

    /** Returns whether a variant has the tested build type. */
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
