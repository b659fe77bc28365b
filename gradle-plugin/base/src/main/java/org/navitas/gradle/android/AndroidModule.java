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
import org.navitas.gradle.Settings;

/** What adapters share of one Android module: settings, places of files, and what goes into its APKs and bundles. */
public final class AndroidModule {
  private static final String ADAPTER = "navitas.adapter";
  private static final String RUNTIME_TASK = "navitasRuntime";
  private static final String ORCHESTRATOR = "orchestrator";
  private static final String CLEAR = "clearPackageData";

  private final Settings settings;
  private final NavitasExtension extension;
  private final AgpVersion agp;
  public final VariantChoice variants;
  private final Project project;
  private final RuntimeJarsTask runtime;

  private AndroidModule(Project project, NavitasExtension extension, AgpVersion agp) {
    this.project = project;
    this.extension = extension;
    this.agp = agp;
    settings = new Settings(project);
    variants = new VariantChoice(project, this, settings, extension);
    runtime = project.getTasks().create(RUNTIME_TASK, RuntimeJarsTask.class);
    runtime.setDescription("Lays out what goes into APKs beside the app's own classes.");
    runtime.settings(project.provider(() -> new File(folder(project), "runtime")));
  }

  /** Chooses the adapter for the Android plugin that has just been applied to a project. */
  public static AndroidModule of(Project project, NavitasExtension extension) {
    AgpVersion agp = new AgpVersion(AndroidModule.class.getClassLoader());
    if (!agp.isVisible()) {
      throw new GradleException(
          "navitas: the classes of the Android Gradle Plugin cannot be seen in " + project.getPath()
              + "; declare it in the build file of the root project too (apply false)");
    }
    if (agp.warning() != null) {
      project.getLogger().warn("navitas: {}: {}", project.getPath(), agp.warning());
    }
    AndroidModule module = new AndroidModule(project, extension, agp);
    Object asked = project.findProperty(ADAPTER);
    boolean transform = asked == null ? !agp.hasScopedArtifacts() : asked.equals("transform") && agp.hasTransform();
    String name = transform ? ".transform.TransformAdapter" : ".variants.VariantsAdapter";
    try {
      Class<?> adapter = Class.forName(AndroidModule.class.getPackage().getName() + name);
      ((AndroidAdapter) adapter.getDeclaredConstructor().newInstance()).apply(project, module);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new GradleException("navitas: Android Gradle Plugin " + agp.text() + " cannot be used: " + e, e);
    }
    return module;
  }

  /** {@code build/navitas} of a project. */
  public static File folder(Project project) {
    return new File(project.getBuildDir(), "navitas");
  }

  /** {@code build/navitas/<variant>}. */
  public File folder(String variant) {
    return new File(folder(project), variant);
  }

  /** Where the method map of a variant's classes goes, or that of their tests, which continues it. */
  public File map(String variant, boolean isTest) {
    return new File(folder(variant), (isTest ? "Tests" : "App") + "/map.json");
  }

  public static String capitalized(String name) {
    return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }

  /** The runtime for apps, or the listener for tests, as a dependency that is made when it is needed. */
  public void addRuntime(Configuration configuration, boolean listener) {
    FileCollection jar = project.files(project.provider(() -> listener ? runtime.getListener() : runtime.getRuntime()));
    FileCollection built = project.files(jar).builtBy(runtime);
    configuration.getDependencies().add(project.getDependencies().create(built));
  }

  /** What instrumentation is to do in this module. */
  public ClassOptions classOptions() {
    return new ClassOptions(
        project.getPath(),
        settings.list("include", extension.getIncludes()),
        settings.list("exclude", extension.getExcludes()),
        settings.flag("skipTrivial", extension.isSkipTrivial()));
  }

  public boolean instrumentTests() {
    return settings.flag("instrumentTests", extension.isInstrumentTests());
  }

  /** Whether classes for a virtual phone go with the APKs. */
  public boolean forVirtualPhone() {
    return settings.flag("jvm", true);
  }

  /**
   * Fields of {@code bundle.json} that are known before the build.
   *
   * @param arguments for the runner of the tests
   * @param execution Android's name for how tests are run; null where the plugin does not tell
   */
  public Map<String, Object> setup(
      String variant, Map<String, String> arguments, Object execution, boolean debuggable, boolean minified, int minSdk) {
    Map<String, Object> setup = new LinkedHashMap<>();
    setup.put("project", project.getRootProject().getName());
    setup.put("module", project.getPath());
    setup.put("variant", variant);
    setup.put("agp_version", agp.text());
    setup.put("runner_arguments", arguments);
    setup.put("orchestrator", String.valueOf(execution).toLowerCase(Locale.ROOT).contains(ORCHESTRATOR));
    setup.put("clear_package_data", Boolean.parseBoolean(arguments.get(CLEAR)));
    setup.put("debuggable", debuggable);
    setup.put("minified", minified);
    setup.put("min_sdk", minSdk);
    List<String> warnings = new ArrayList<>();
    if (agp.warning() != null) {
      warnings.add(agp.warning());
    }
    setup.put("warnings", warnings);
    return setup;
  }
}
