package org.navitas.gradle.android;

import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.file.FileCollection;
import org.navitas.gradle.NavitasExtension;
import org.navitas.gradle.ProbeSwitch;
import org.navitas.gradle.Settings;
import org.navitas.instrument.choice.Probes;

/** Shared data of the adapters for one Android module: settings, file locations, and contents of APKs and bundles. */
public final class AndroidModule {
    private static final String ADAPTER = "adapter";
    private static final String RUNTIME_TASK = "navitasRuntime";
    private static final String ORCHESTRATOR = "orchestrator";

    private final Settings settings;
    private final ProbeSwitch probes;
    private final NavitasExtension extension;
    private final AgpVersion agp;
    /** The module's variants that can be profiled or recorded, and the selected one. */
    public final VariantChoice variants;

    private final Project project;
    private final RuntimeJarsTask runtime;

    private AndroidModule(Project project, NavitasExtension extension, AgpVersion agp) {
        this.project = project;
        this.extension = extension;
        this.agp = agp;
        settings = new Settings(project);
        probes = new ProbeSwitch(settings, extension);
        variants = new VariantChoice(project, this, probes, extension);
        runtime = project.getTasks().create(RUNTIME_TASK, RuntimeJarsTask.class);
        runtime.setDescription("Writes the libraries that instrumented APKs need in addition to the app's classes.");
        runtime.settings(
                project.provider(() -> new File(folder(project), "runtime")),
                project.provider(this::hooks),
                project.provider(settings::probes));
    }

    /**
     * Chooses the adapter for the Android plugin that was applied to a project.
     *
     * @param project the project
     * @param extension the project's block {@code navitas { }}
     * @return the module
     * @throws GradleException if the Android plugin cannot be used
     */
    public static AndroidModule of(Project project, NavitasExtension extension) {
        AgpVersion agp = new AgpVersion(AndroidModule.class.getClassLoader());
        AndroidModule module = new AndroidModule(project, extension, agp);
        if (module.probes.isOffByProperty()) {
            return module; // even if this Android plugin cannot be used
        }
        if (!agp.isVisible()) {
            throw new GradleException("navitas: the classes of the Android Gradle Plugin are not visible in "
                    + project.getPath() + "; declare it in the build file of the root project too (apply false)");
        }
        if (agp.warning() != null) {
            project.getLogger().warn("navitas: {}: {}", project.getPath(), agp.warning());
        }
        String requested = module.settings.text(ADAPTER, null);
        boolean transform =
                requested == null ? !agp.hasScopedArtifacts() : requested.equals("transform") && agp.hasTransform();
        String name = transform ? ".transform.TransformAdapter" : ".variants.VariantsAdapter";
        try {
            Class<?> adapter = Class.forName(AndroidModule.class.getPackage().getName() + name);
            ((AndroidAdapter) adapter.getDeclaredConstructor().newInstance()).apply(project, module);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new GradleException("navitas: Android Gradle Plugin " + agp.text() + " cannot be used: " + e, e);
        }
        return module;
    }

    /**
     * Returns the output folder of a project.
     *
     * @param project any project
     * @return {@code build/navitas}
     */
    public static File folder(Project project) {
        return project.getLayout().getBuildDirectory().dir("navitas").get().getAsFile();
    }

    /**
     * Returns the output folder of a variant.
     *
     * @param variant such as {@code demoDebug}
     * @return {@code build/navitas/<variant>}
     */
    public File folder(String variant) {
        return new File(folder(project), variant);
    }

    /**
     * Returns the method map of a part of a variant's classes. It continues those of the parts before.
     *
     * @param variant such as {@code demoDebug}
     * @param part whose map to return
     * @return the file to write, in a folder of the part
     */
    public File map(String variant, ClassPart part) {
        return new File(folder(variant), part.folder + "/map.json");
    }

    /**
     * Returns a name with an initial capital.
     *
     * @param name not empty
     * @return such as {@code DemoDebug}
     */
    public static String capitalized(String name) {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    /**
     * Adds a library as a dependency that is built on demand.
     *
     * @param configuration the configuration to add to
     * @param listener true for the listener for tests, false for the runtime for apps
     */
    public void addRuntime(Configuration configuration, boolean listener) {
        FileCollection jar =
                project.files(project.provider(() -> listener ? runtime.getListener() : runtime.getRuntime()));
        FileCollection built = project.files(jar).builtBy(runtime);
        configuration.getDependencies().add(project.getDependencies().create(built));
    }

    /**
     * Returns which classes get probes in this module.
     *
     * @return the options
     */
    public ClassOptions classOptions() {
        return new ClassOptions(
                project.getPath(),
                settings.list("include", extension.getIncludes()),
                settings.list("exclude", extension.getExcludes()),
                settings.flag("skipTrivial", extension.isSkipTrivial()),
                hooks(),
                settings.flag("hookLibraries", extension.isHookLibraries()),
                settings.probes(),
                settings.file(Settings.BLOCK_EDITS));
    }

    /**
     * Returns whether the build makes only apps to record, without their tests.
     *
     * @return whether the command line requests it
     */
    boolean isAppOnly() {
        return settings.flag("appOnly", false);
    }

    /**
     * Returns Android's framework for a virtual phone, from the repositories of the user's build. A build that verifies its
     * dependencies does not know these files; the command line fetches them by another build then.
     *
     * @return jars and AARs, or null if the command line does not request them
     */
    public FileCollection framework() {
        boolean isVerified = new File(project.getRootDir(), "gradle/verification-metadata.xml").exists();
        return settings.flag("framework", false) && !isVerified ? Framework.of(project) : null;
    }

    private boolean hooks() {
        return settings.flag("hooks", extension.isHooks()) && settings.probes() == Probes.METHODS;
    }

    /**
     * Returns whether test classes get probes.
     *
     * @return false to keep them unchanged
     */
    public boolean instrumentTests() {
        return settings.flag("instrumentTests", extension.isInstrumentTests());
    }

    /**
     * Returns whether bundles contain classes for a virtual phone.
     *
     * @return whether the command line requests them
     */
    public boolean forVirtualPhone() {
        return settings.flag("jvm", true);
    }

    /**
     * Returns whether anything of the module gets probes. Call it after the build file is evaluated.
     *
     * @return false to leave the build as it is without Navitas
     */
    public boolean isEnabled() {
        return probes.refusal().isEmpty();
    }

    /**
     * Returns what the build says about a variant's APK.
     *
     * @param variant such as {@code demoDebug}
     * @param isApp false for a library
     * @param debuggable whether the APK is debuggable
     * @return the notice
     */
    public ProbeNotice notice(String variant, boolean isApp, boolean debuggable) {
        return new ProbeNotice(project.getPath(), variant, isApp, debuggable);
    }

    /**
     * Returns fields of {@code bundle.json} that are known before the build.
     *
     * @param notice what the build says about the APK
     * @param variant such as {@code demoDebug}
     * @param execution Android's name for how tests run, or null if unknown
     * @param debuggable whether the app is debuggable
     * @param minified whether R8 or ProGuard processes the app
     * @param minSdk the lowest supported API level
     * @return fields by name
     */
    public Map<String, Object> setup(
            ProbeNotice notice, String variant, Object execution, boolean debuggable, boolean minified, int minSdk) {
        Map<String, Object> setup = new LinkedHashMap<>();
        setup.put("project", project.getRootProject().getName());
        setup.put("module", project.getPath());
        setup.put("variant", variant);
        setup.put("agp_version", agp.text());
        setup.put(
                "orchestrator",
                String.valueOf(execution).toLowerCase(Locale.ROOT).contains(ORCHESTRATOR));
        setup.put("debuggable", debuggable);
        setup.put("minified", minified);
        setup.put("min_sdk", minSdk);
        setup.put("hooks", hooks());
        setup.put("probes", settings.probes().text());
        List<String> warnings = new ArrayList<>();
        if (agp.warning() != null) {
            warnings.add(agp.warning());
        }
        if (notice.warning() != null) {
            warnings.add(notice.warning());
        }
        setup.put("warnings", warnings);
        return setup;
    }
}
