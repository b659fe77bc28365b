package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.testing.Test;
import org.navitas.gradle.android.AndroidModule;

/**
 * Plugin {@code org.navitas}. Adds {@code navitasInstrument}, {@code navitasBundle}, {@code navitasProfile} and {@code
 * navitasCheck} to a project that has the {@code java} plugin. Writes only to {@code build/navitas}. In an Android
 * project, classes of variants with instrumentation tests get probes before they are packed into the APK ({@link
 * AndroidModule}).
 *
 * <p>Tasks do not refer to the project: file collections and providers supply what they need, so that the configuration
 * cache of newer Gradle versions can store them.
 */
public class NavitasPlugin implements Plugin<Project> {
    static final String INSTRUMENT = "navitasInstrument";
    static final String BUNDLE = "navitasBundle";
    static final String PROFILE = "navitasProfile";
    static final String CHECK = "navitasCheck";

    /** Set for Android projects only. */
    AndroidModule android;

    @Override
    public void apply(Project project) {
        NavitasExtension extension = project.getExtensions().create("navitas", NavitasExtension.class);
        project.getPluginManager().withPlugin("java", plugin -> addTasks(project, extension));
        for (String kind : new String[] {"com.android.application", "com.android.library"}) {
            project.getPluginManager().withPlugin(kind, plugin -> addAndroid(project, extension));
        }
    }

    /** Returns where a project's bundle is written. */
    static Provider<File> bundle(Project project) {
        Provider<File> folder = outputFolder(project);
        String name = project.getName() + ".bundle.zip";
        return project.provider(() -> new File(folder.get(), name));
    }

    private static Provider<File> outputFolder(Project project) {
        return project.provider(() ->
                project.getLayout().getBuildDirectory().dir("navitas").get().getAsFile());
    }

    private static void addTasks(Project project, NavitasExtension extension) {
        ModuleTests tests = new ModuleTests(project);
        Provider<File> folder = outputFolder(project);
        Provider<File> bundleFile = bundle(project);
        Settings settings = new Settings(project);
        ProbeSwitch probes = new ProbeSwitch(settings, extension);
        Provider<Boolean> instrumentTests =
                project.provider(() -> settings.flag("instrumentTests", extension.isInstrumentTests()));

        ProbeChoice choice = new ProbeChoice(
                project.provider(settings::probes),
                project.provider(() -> settings.list("include", extension.getIncludes())),
                project.provider(() -> settings.flag("hooks", extension.isHooks())),
                project.provider(() -> settings.flag("hookLibraries", extension.isHookLibraries())));

        InstrumentTask instrument = project.getTasks().create(INSTRUMENT, InstrumentTask.class);
        instrument.setGroup("Navitas");
        instrument.setDescription("Instruments copies of main and test classes for energy profiling.");
        instrument.tests(tests, project.getPath());
        instrument.settings(
                project.provider(() -> settings.list("exclude", extension.getExcludes())),
                instrumentTests,
                project.provider(() -> settings.flag("skipTrivial", extension.isSkipTrivial())),
                choice,
                folder);
        instrument.refusal(project.provider(probes::refusal));
        instrument.blockEdits(project.provider(() -> settings.file(Settings.BLOCK_EDITS)));

        BundleTask bundle = project.getTasks().create(BUNDLE, BundleTask.class);
        bundle.setGroup("Navitas");
        bundle.setDescription("Packs instrumented classes and tests, to run them on a virtual phone.");
        bundle.tests(tests, project.getPath());
        bundle.settings(
                folder,
                instrumentTests,
                choice,
                bundleFile,
                tests.candidates(),
                tests.platformOfGradle(),
                project.provider(() -> setup(project, tests, folder.get())));
        bundle.dependsOn(instrument);

        Callable<?> producer = () -> probes.refusal().isEmpty() ? bundle : Collections.emptyList();
        addProfile(project, extension, bundleFile, project.provider(probes::refusal), "src/test/java", producer);
    }

    private void addAndroid(Project project, NavitasExtension extension) {
        AndroidModule module = AndroidModule.of(project, extension);
        android = module;
        // Android's plugin creates its variants after the project is evaluated.
        addProfile(
                project,
                extension,
                project.provider(module.variants::bundle),
                project.provider(module.variants::refusal),
                "src/androidTest/java",
                module.variants::tasks);
    }

    private static void addProfile(
            Project project,
            NavitasExtension extension,
            Provider<File> bundle,
            Provider<String> refusal,
            String sources,
            Callable<?> producer) {
        ProfileTask profile = project.getTasks().create(PROFILE, ProfileTask.class);
        profile.setDescription("Profiles the energy of this module's tests with the command line `navitas`.");
        profile.settings(bundle, refusal, sources, profiling(project, extension, false), producer);
        ProfileTask check = project.getTasks().create(CHECK, ProfileTask.class);
        check.setDescription("Checks the energy of this module's tests against its budgets, with `navitas check`.");
        check.settings(bundle, refusal, sources, profiling(project, extension, true), () -> profile);
        Settings settings = new Settings(project);
        Callable<?> requested = () -> settings.flag("check", extension.isCheck()) ? check : Collections.emptyList();
        project.getTasks().getByName("check").dependsOn(requested);
    }

    private static Provider<Profiling> profiling(Project project, NavitasExtension extension, boolean checks) {
        Provider<File> folder = outputFolder(project);
        return project.provider(() -> new Profiling(project, extension, folder.get(), checks));
    }

    private static Map<String, Object> setup(Project project, ModuleTests tests, File bundleFolder) {
        Map<String, Object> setup = new LinkedHashMap<>();
        Test test = tests.task();
        if (test == null) {
            return setup; // there will be no bundle
        }
        JvmArguments arguments = new JvmArguments(TestJvm.arguments(test), test.getWorkingDir());
        setup.put("package", PackageName.of(project.getGroup().toString(), distinctName(project)));
        setup.put("module", project.getPath());
        setup.put("project", project.getRootProject().getName());
        setup.put("working_dir", TestJvm.workingDir(test, project.getRootDir(), bundleFolder));
        setup.put("jvm_args", arguments.kept);
        setup.put("system_properties", TestJvm.systemProperties(test));
        setup.put("environment", TestJvm.environment(test));
        setup.put("removed_variables", TestJvm.removedVariables(test));
        setup.put("java_home", TestJvm.javaHome(test));
        setup.put("test_task", TestSelection.of(test));
        List<String> warnings = new ArrayList<>(arguments.warnings);
        warnings.addAll(TestJvm.ignoredSettings(test));
        List<String> others = tests.otherTasks();
        if (!others.isEmpty()) {
            String tasks = (others.size() == 1 ? "the test task " : "the test tasks ") + String.join(", ", others);
            warnings.add(
                    tasks + (others.size() == 1 ? " is" : " are") + " not profiled: select one with --test-task NAME");
        }
        String module = project.getParent() == null ? project.getName() : project.getPath();
        setup.put(
                "warnings", warnings.stream().map(text -> module + ": " + text).collect(Collectors.toList()));
        return setup;
    }

    private static String distinctName(Project project) {
        SortedMap<String, String> names = new TreeMap<>();
        project.getRootProject().getAllprojects().forEach(one -> names.put(one.getPath(), one.getName()));
        return PackageName.distinct(names).get(project.getPath());
    }
}
