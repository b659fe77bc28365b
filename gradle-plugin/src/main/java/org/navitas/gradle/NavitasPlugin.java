package org.navitas.gradle;

import java.io.File;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactCollection;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.SourceSetContainer;
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
    // Since Gradle 7.1 there is a typed way, which 4.4 lacks; the property works in all.
    SourceSetContainer sourceSets = (SourceSetContainer) project.property("sourceSets");
    SourceSet main = sourceSets.getByName(SourceSet.MAIN_SOURCE_SET_NAME);
    SourceSet tests = sourceSets.getByName(SourceSet.TEST_SOURCE_SET_NAME);
    Test test = (Test) project.getTasks().getByName("test");
    FileCollection classPath = project.files((Callable<FileCollection>) test::getClasspath);
    ArtifactCollection projectArtifacts =
        project
            .getConfigurations()
            .getByName(tests.getRuntimeClasspathConfigurationName())
            .getIncoming()
            .artifactView(view -> view.componentFilter(id -> id instanceof ProjectComponentIdentifier))
            .getArtifacts();
    Provider<File> folder = outputFolder(project);
    Provider<Boolean> instrumentTests =
        project.provider(() -> flag(project, "navitas.instrumentTests", extension.isInstrumentTests()));

    InstrumentTask instrument = project.getTasks().create(INSTRUMENT, InstrumentTask.class);
    instrument.setGroup("Navitas");
    instrument.setDescription("Instruments main and test classes for energy profiling, beside the originals.");
    instrument.classPath(classPath, main.getOutput(), tests.getOutput(), projectArtifacts, project.getPath());
    instrument.settings(
        project.provider(() -> list(project, "navitas.include", extension.getIncludes())),
        project.provider(() -> list(project, "navitas.exclude", extension.getExcludes())),
        instrumentTests,
        folder);

    BundleTask bundle = project.getTasks().create(BUNDLE, BundleTask.class);
    bundle.setGroup("Navitas");
    bundle.setDescription("Packs instrumented classes and tests with all they need to run on a virtual phone.");
    bundle.classPath(classPath, main.getOutput(), tests.getOutput(), projectArtifacts, project.getPath());
    bundle.settings(folder, instrumentTests, bundle(project), project.provider(() -> setup(project, test)));
    bundle.dependsOn(instrument);
  }

  private static Map<String, Object> setup(Project project, Test test) {
    JvmArguments arguments = new JvmArguments(TestJvm.arguments(test));
    Map<String, Object> setup = new LinkedHashMap<>();
    setup.put("package", PackageName.of(project.getGroup().toString(), project.getName()));
    setup.put("module", project.getPath());
    setup.put("project", project.getRootProject().getName());
    setup.put("working_dir", test.getWorkingDir().getAbsolutePath());
    setup.put("jvm_args", arguments.kept);
    setup.put("system_properties", TestJvm.systemProperties(test));
    setup.put("environment", TestJvm.environment(test));
    setup.put("java_home", TestJvm.javaHome(test));
    setup.put("warnings", arguments.warnings);
    return setup;
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
