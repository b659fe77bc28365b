package org.navitas.gradle.android.transform;

import com.android.build.gradle.TestedExtension;
import com.android.build.gradle.api.BaseVariant;
import com.android.build.gradle.api.TestVariant;
import com.android.builder.model.ProductFlavor;
import com.android.builder.model.SourceProvider;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.attributes.Attribute;
import org.gradle.api.file.FileCollection;
import org.navitas.gradle.NewerGradle;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.AndroidVariant;
import org.navitas.gradle.android.ClassPart;
import org.navitas.gradle.android.ProbeNotice;

/** The bundle of one variant, and the tasks that its classes depend on. */
final class VariantTasks {
    private static final Attribute<String> ARTIFACT_TYPE = Attribute.of("artifactType", String.class);
    /** Names of the same artifact type in several versions of the plugin. */
    private static final List<String> CLASSES = Arrays.asList("android-classes-jar", "android-classes");

    private static final String RUNTIME_ONLY = "RuntimeOnly";
    /** Default of Android's plugin. */
    private static final String DEFAULT_RUNNER = "android.test.InstrumentationTestRunner";

    private final Project project;
    private final AndroidModule module;
    private final TestedExtension android;
    private final TestVariant test;
    private final BaseVariant variant;
    private final boolean isApp;
    private final boolean hasTests;

    VariantTasks(Project project, AndroidModule module, TestedExtension android, TestVariant test, boolean isApp) {
        this.project = project;
        this.module = module;
        this.android = android;
        this.test = test;
        this.variant = test.getTestedVariant();
        this.isApp = isApp;
        this.hasTests = module.variants.hasTests(this::haveSources);
    }

    private boolean haveSources() {
        for (SourceProvider sources : test.getSourceSets()) {
            for (File folder : sources.getJavaDirectories()) {
                File kotlin = new File(folder.getParentFile(), "kotlin"); // only Kotlin's plugin knows it
                if (!project.fileTree(folder).isEmpty()
                        || !project.fileTree(kotlin).isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether the variant can be profiled or recorded, and the build does not leave it out. */
    boolean getsProbes() {
        return (hasTests || isApp) && module.variants.getsProbes(variant.getName(), isDebuggable(), hasTests);
    }

    ProbeNotice notice() {
        return module.notice(variant.getName(), isApp, !isApp || isDebuggable());
    }

    private boolean isDebuggable() {
        return variant.getBuildType().isDebuggable();
    }

    void create() {
        String name = variant.getName();
        Configuration tests = testRuntime();
        module.addRuntime(isApp ? project.getConfigurations().getByName(name + RUNTIME_ONLY) : tests, false);
        if (hasTests) {
            module.addRuntime(tests, true);
        }
        AndroidVariant bundled = module.variants.add(name, hasTests);
        ApkBundleTask bundle = project.getTasks().create(bundled.bundleTask(), ApkBundleTask.class);
        bundle.setGroup("Navitas");
        bundle.setDescription("Packs the instrumented APKs of " + name + " with the data that the command line needs.");
        bundle.settings(
                module,
                variant,
                hasTests ? test : null,
                isApp,
                bundled.bundle(),
                setup(),
                module.forVirtualPhone() ? libraries(variant) : null,
                module.forVirtualPhone() ? hasTests ? libraries(test) : project.files() : null);
        if (isApp) {
            bundle.dependsOn(assemble(variant));
        }
        if (!hasTests) {
            return;
        }
        bundle.dependsOn(assemble(test));
        // Ids of the tests continue after those of the app, so the app's map is an input.
        project.getTasks().all(task -> {
            if (isTransform(task, test.getName())) {
                task.getInputs().files(module.map(name, ClassPart.APP)).withPropertyName("navitasMap");
                task.dependsOn(project.getTasks().matching(other -> isTransform(other, name)));
            }
        });
    }

    /** Before 3.2, a build type that is tested instead of {@code debug} has no configuration for tests; all tests share one. */
    private Configuration testRuntime() {
        Configuration own = project.getConfigurations()
                .findByName("androidTest" + AndroidModule.capitalized(variant.getName()) + RUNTIME_ONLY);
        return own != null
                ? own
                : project.getConfigurations().getByName("androidTest" + AndroidModule.capitalized(RUNTIME_ONLY));
    }

    private static boolean isTransform(Task task, String variant) {
        String name = task.getName().toLowerCase(Locale.ROOT);
        return name.startsWith("transformclasseswith" + ProbeTransform.NAME)
                && name.endsWith("for" + variant.toLowerCase(Locale.ROOT));
    }

    private Map<String, Object> setup() {
        ProductFlavor flavors = variant.getMergedFlavor();
        Object options = android.getTestOptions();
        Map<String, Object> setup = module.setup(
                notice(),
                variant.getName(),
                NewerGradle.call(options, options.getClass(), "getExecution"),
                !isApp || isDebuggable(),
                variant.getBuildType().isMinifyEnabled(),
                flavors.getMinSdkVersion() == null
                        ? 1
                        : flavors.getMinSdkVersion().getApiLevel());
        String runner = flavors.getTestInstrumentationRunner();
        setup.put("runner", !hasTests ? null : runner != null ? runner : DEFAULT_RUNNER);
        return setup;
    }

    private static Object assemble(BaseVariant variant) {
        Object provider = NewerGradle.call(variant, BaseVariant.class, "getAssembleProvider");
        return provider != null ? provider : variant.getAssemble();
    }

    private FileCollection libraries(BaseVariant of) {
        FileCollection files = project.files();
        for (String type : CLASSES) {
            files = files.plus(of.getRuntimeConfiguration()
                    .getIncoming()
                    .artifactView(view -> {
                        view.lenient(true);
                        view.componentFilter(id -> !(id instanceof ProjectComponentIdentifier));
                        view.attributes(attributes -> attributes.attribute(ARTIFACT_TYPE, type));
                    })
                    .getFiles());
        }
        return files;
    }
}
