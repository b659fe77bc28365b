package org.navitas.gradle.android.transform;

import com.android.build.gradle.LibraryExtension;
import com.android.build.gradle.TestedExtension;
import com.android.build.gradle.api.TestVariant;
import org.gradle.StartParameter;
import org.gradle.api.Project;
import org.navitas.gradle.android.AndroidAdapter;
import org.navitas.gradle.android.AndroidModule;

/** For Android Gradle Plugin 3.1 to 7.3. Adds a Transform, which processes the classes of all variants. */
public final class TransformAdapter implements AndroidAdapter {
    @Override
    public void apply(Project project, AndroidModule module) {
        TestedExtension android = project.getExtensions().getByType(TestedExtension.class);
        boolean isApp = !(android instanceof LibraryExtension);
        if (!isApp && !isAlone(project)) {
            // The app would get its classes with probes of another map.
            project.getLogger()
                    .info("navitas: {} is skipped: a library is profiled only by its own path", project.getPath());
            return;
        }
        // Registered before the block is evaluated; without variants, it copies all classes unchanged.
        ProbeTransform transform = new ProbeTransform(project, module, isApp);
        android.registerTransform(transform);
        android.getTestVariants()
                .all(test -> add(new VariantTasks(project, module, android, test, isApp), transform, test));
    }

    private static void add(VariantTasks tasks, ProbeTransform transform, TestVariant test) {
        if (tasks.getsProbes()) {
            transform.takes(test.getTestedVariant().getName(), tasks.notice());
            tasks.create();
        }
    }

    /** Returns whether only this module is built, by its path or from its folder. */
    private static boolean isAlone(Project project) {
        StartParameter requested = project.getGradle().getStartParameter();
        boolean isHere = requested.getCurrentDir().equals(project.getProjectDir());
        return requested.getTaskNames().stream()
                .allMatch(task -> task.startsWith(project.getPath() + ":") || isHere && task.indexOf(':') < 0);
    }
}
