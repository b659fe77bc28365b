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

/** For Android Gradle Plugin 7.4 and later. Adds a task that processes the classes of each variant. */
public final class VariantsAdapter implements AndroidAdapter {
  @Override
  public void apply(Project project, AndroidModule module) {
    AndroidComponentsExtension<?, ?, ?> components = project.getExtensions().getByType(AndroidComponentsExtension.class);
    CommonExtension<?, ?, ?, ?> android = project.getExtensions().getByType(CommonExtension.class);
    components.finalizeDsl(action(dsl -> TestedBuildType.choose(android, module.variants.wanted())));
    onVariants(components, variant -> {
      AndroidTest test = variant instanceof HasAndroidTest ? ((HasAndroidTest) variant).getAndroidTest() : null;
      if (test != null && TestSources.exist(android, variant)) {
        new VariantTasks(project, module, android, variant, test).register(module.variants.add(variant.getName()));
      } else if (variant instanceof ApplicationVariant && TestedBuildType.is(android, variant)) {
        new VariantTasks(project, module, android, variant, null).register(module.variants.withoutTests(variant.getName()));
      }
    });
  }

  private static <T extends Variant> void onVariants(AndroidComponentsExtension<?, ?, T> components, Action<Variant> action) {
    components.onVariants(components.selector().all(), action(action::execute));
  }

  /** Selects one of two overloaded methods for the compiler: the other one is for Kotlin. */
  private static <T> Action<T> action(Action<T> action) {
    return action;
  }
}
