package org.navitas.gradle.android.variants;

import com.android.build.api.dsl.CommonExtension;
import com.android.build.api.variant.AndroidComponentsExtension;
import com.android.build.api.variant.AndroidTest;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.HasAndroidTest;
import com.android.build.api.variant.Variant;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.navitas.gradle.android.AndroidAdapter;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.AndroidVariant;

/** For Android Gradle Plugin 7.4 and later. Adds a task that processes the classes of each variant. */
public final class VariantsAdapter implements AndroidAdapter {
    @Override
    public void apply(Project project, AndroidModule module) {
        AndroidComponentsExtension<?, ?, ?> components =
                project.getExtensions().getByType(AndroidComponentsExtension.class);
        CommonExtension<?, ?, ?, ?> android = project.getExtensions().getByType(CommonExtension.class);
        components.finalizeDsl(action(dsl -> {
            if (module.isEnabled()) {
                TestedBuildType.choose(android, module.variants.wanted());
            }
        }));
        onVariants(components, variant -> {
            AndroidTest test = variant instanceof HasAndroidTest ? ((HasAndroidTest) variant).getAndroidTest() : null;
            boolean hasTests =
                    test != null && module.variants.hasTests(() -> TestSources.exist(android, variant, test));
            boolean isRecorded = variant instanceof ApplicationVariant && TestedBuildType.is(android, variant);
            VariantFacts facts = new VariantFacts(android, variant);
            String name = variant.getName();
            if ((hasTests || isRecorded) && module.variants.getsProbes(name, facts.isDebuggable(), hasTests)) {
                AndroidVariant bundled = module.variants.add(name, hasTests);
                new VariantTasks(project, module, facts, variant, hasTests ? test : null).register(bundled);
            }
        });
    }

    private static <T extends Variant> void onVariants(
            AndroidComponentsExtension<?, ?, T> components, Action<Variant> action) {
        components.onVariants(components.selector().all(), action(action::execute));
    }

    /** Selects one of two overloaded methods for the compiler: the other one is for Kotlin. */
    private static <T> Action<T> action(Action<T> action) {
        return action;
    }
}
