package org.navitas.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.testing.Test;

/**
 * Plugin {@code org.navitas}: adds {@code navitasInstrument} and {@code navitasBundle} to a project once it has the
 * {@code java} plugin. Tests are compiled but not run, and nothing outside {@code build/navitas} is written.
 *
 * <p>Tasks hold no project: all that they ask of it is behind file collections and providers, so that the configuration
 * cache of newer versions of Gradle can store them.
 */
public class NavitasPlugin implements Plugin<Project> {
  static final String INSTRUMENT = "navitasInstrument";
  static final String BUNDLE = "navitasBundle";

  @Override
  public void apply(Project project) {
    NavitasExtension extension = project.getExtensions().create("navitas", NavitasExtension.class);
    project.getPluginManager().withPlugin("java", plugin -> addTasks(project, extension));
  }

  /** Where a project's bundle is made. */
  static Provider<File> bundle(Project project) {
    Provider<File> folder = outputFolder(project);
    String name = project.getName() + ".bundle.zip";
    return project.provider(() -> new File(folder.get(), name));
  }

  private static Provider<File> outputFolder(Project project) {
    return project.provider(() -> project.getLayout().getBuildDirectory().dir("navitas").get().getAsFile());
  }

  private static void addTasks(Project project, NavitasExtension extension) {
    ModuleTests tests = new ModuleTests(project);
    Provider<File> folder = outputFolder(project);
    Provider<Boolean> instrumentTests =
        project.provider(() -> flag(project, "navitas.instrumentTests", extension.isInstrumentTests()));

    InstrumentTask instrument = project.getTasks().create(INSTRUMENT, InstrumentTask.class);
    instrument.setGroup("Navitas");
    instrument.setDescription("Instruments main and test classes for energy profiling, beside the originals.");
    instrument.tests(tests, project.getPath());
    instrument.settings(
        project.provider(() -> list(project, "navitas.include", extension.getIncludes())),
        project.provider(() -> list(project, "navitas.exclude", extension.getExcludes())),
        instrumentTests,
        project.provider(() -> flag(project, "navitas.skipTrivial", extension.isSkipTrivial())),
        folder);

    BundleTask bundle = project.getTasks().create(BUNDLE, BundleTask.class);
    bundle.setGroup("Navitas");
    bundle.setDescription("Packs instrumented classes and tests with all they need to run on a virtual phone.");
    bundle.tests(tests, project.getPath());
    bundle.settings(
        folder, instrumentTests, bundle(project), tests.candidates(), project.provider(() -> setup(project, tests)));
    bundle.dependsOn(instrument);
  }

  private static Map<String, Object> setup(Project project, ModuleTests tests) {
    Map<String, Object> setup = new LinkedHashMap<>();
    Test test = tests.task();
    if (test == null) {
      return setup; // nothing will be packed
    }
    JvmArguments arguments = new JvmArguments(TestJvm.arguments(test));
    setup.put("package", PackageName.of(project.getGroup().toString(), distinctName(project)));
    setup.put("module", project.getPath());
    setup.put("project", project.getRootProject().getName());
    setup.put("working_dir", test.getWorkingDir().getAbsolutePath());
    setup.put("jvm_args", arguments.kept);
    setup.put("system_properties", TestJvm.systemProperties(test));
    setup.put("environment", TestJvm.environment(test));
    setup.put("java_home", TestJvm.javaHome(test));
    setup.put("test_task", TestSelection.of(test));
    List<String> warnings = new ArrayList<>(arguments.warnings);
    warnings.addAll(TestJvm.leftOut(test));
    List<String> others = tests.otherTasks();
    if (!others.isEmpty()) {
      warnings.add("not profiled: the test tasks " + String.join(", ", others) + "; --test-task NAME profiles one of them");
    }
    setup.put("warnings", warnings.stream().map(text -> project.getPath() + ": " + text).collect(Collectors.toList()));
    return setup;
  }

  private static String distinctName(Project project) {
    SortedMap<String, String> names = new TreeMap<>();
    project.getRootProject().getAllprojects().forEach(one -> names.put(one.getPath(), one.getName()));
    return PackageName.distinct(names).get(project.getPath());
  }

  private static List<String> list(Project project, String property, List<String> otherwise) {
    Object value = project.findProperty(property);
    if (value == null) {
      return otherwise;
    }
    return Arrays.stream(value.toString().split(",")).map(String::trim).filter(s -> !s.isEmpty()).collect(Collectors.toList());
  }

  private static boolean flag(Project project, String property, boolean otherwise) {
    Object value = project.findProperty(property);
    return value == null ? otherwise : Boolean.parseBoolean(value.toString());
  }
}
