package org.navitas.gradle.android.variants;

import com.android.build.api.artifact.SingleArtifact;
import com.android.build.api.variant.AndroidTest;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.Variant;
import java.util.Map;
import org.gradle.api.Project;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.AndroidVariant;
import org.navitas.gradle.android.ClassPart;

/** The tasks of one variant: those for its classes, and the one for its bundle. */
final class VariantTasks {
    private static final String RUNTIME_ONLY = "RuntimeOnly";

    private final Project project;
    private final AndroidModule module;
    private final VariantFacts facts;
    private final Variant variant;
    private final AndroidTest test;
    private final boolean isApp;
    private final ClassTasks classes;

    /**
     * @param test null for an app without tests
     */
    VariantTasks(Project project, AndroidModule module, VariantFacts facts, Variant variant, AndroidTest test) {
        this.project = project;
        this.module = module;
        this.facts = facts;
        this.variant = variant;
        this.test = test;
        this.isApp = variant instanceof ApplicationVariant;
        classes = new ClassTasks(project, module, facts, variant);
    }

    void register(AndroidVariant bundled) {
        String testName = "androidTest" + AndroidModule.capitalized(variant.getName());
        module.addRuntime(
                project.getConfigurations().getByName((isApp ? variant.getName() : testName) + RUNTIME_ONLY), false);
        if (isApp) {
            classes.registerApp();
        }
        if (test != null) {
            module.addRuntime(project.getConfigurations().getByName(testName + RUNTIME_ONLY), true);
            classes.registerTests(test);
        }
        registerBundle(bundled);
    }

    private void registerBundle(AndroidVariant bundled) {
        Map<String, Object> setup = facts.setup(module);
        Provider<String> tested = (isApp ? (ApplicationVariant) variant : test).getApplicationId();
        project.getTasks().register(bundled.bundleTask(), AndroidBundleTask.class, it -> {
            it.setGroup("Navitas");
            it.setDescription("Packs the instrumented APKs of " + variant.getName()
                    + " with the data that the command line needs.");
            it.getSetup().set(setup);
            it.getPackage().set(tested);
            it.getTestPackage().set(test == null ? tested : test.getApplicationId());
            it.getLoader().set(variant.getArtifacts().getBuiltArtifactsLoader());
            if (test != null) {
                it.getRunner().set(test.getInstrumentationRunner());
                facts.runnerArguments(test, it.getRunnerArguments());
                it.getTestApks().set(test.getArtifacts().get(SingleArtifact.APK.INSTANCE));
            }
            if (isApp) {
                it.getAppApks().set(variant.getArtifacts().get(SingleArtifact.APK.INSTANCE));
            }
            if (facts.isMinified()) {
                it.getMapping().set(variant.getArtifacts().get(SingleArtifact.OBFUSCATION_MAPPING_FILE.INSTANCE));
            }
            for (TaskProvider<ClassesTask> each : classes.all().values()) {
                it.getMaps().from(each.flatMap(ClassesTask::getMap));
                it.getSummaries().from(each.flatMap(ClassesTask::getSummary));
            }
            it.getVirtual().set(module.forVirtualPhone());
            if (module.forVirtualPhone()) {
                addClasses(it);
            }
            it.getBundle().set(bundled.bundle());
        });
    }

    /** Adds what a virtual phone runs, in class path order. */
    private void addClasses(AndroidBundleTask bundle) {
        for (ClassPart part : new ClassPart[] {ClassPart.APP, ClassPart.MODULES, ClassPart.TESTS}) {
            TaskProvider<ClassesTask> task = classes.all().get(part);
            if (task != null) {
                ConfigurableFileCollection files =
                        part == ClassPart.TESTS ? bundle.getTestClasses() : bundle.getAppClasses();
                files.from(task.flatMap(ClassesTask::getClasses), task.flatMap(ClassesTask::getLibraries));
            }
        }
        if (isApp) {
            bundle.getAppClasses().from(Dependencies.jars(variant, false).getFiles());
        }
        if (test != null) {
            bundle.getTestClasses().from(Dependencies.jars(test, false).getFiles());
        }
    }
}
