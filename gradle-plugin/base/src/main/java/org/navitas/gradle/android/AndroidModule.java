package org.navitas.gradle.android;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
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

/** What adapters share of one Android module: settings, tasks, and the variants that can be profiled. */
public final class AndroidModule {
  private static final String ADAPTER = "navitas.adapter";
  private static final String RUNTIME_TASK = "navitasRuntime";

  public final Settings settings;
  public final NavitasExtension extension;
  public final AgpVersion agp;
  private final Project project;
  private final List<AndroidVariant> variants = new ArrayList<>();
  private final RuntimeJarsTask runtime;

  private AndroidModule(Project project, NavitasExtension extension, AgpVersion agp) {
    this.project = project;
    this.extension = extension;
    this.agp = agp;
    settings = new Settings(project);
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

  /** Where the bundle of a variant goes. */
  public File bundle(String variant) {
    return new File(folder(variant), project.getName() + "-" + variant + ".bundle.zip");
  }

  /** Name of the task that makes it. */
  public static String bundleTask(String variant) {
    return "navitasBundle" + capitalized(variant);
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

  /** Adds a variant with instrumentation tests. */
  public void add(String variant) {
    variants.add(new AndroidVariant(variant, bundleTask(variant), bundle(variant)));
  }

  public List<AndroidVariant> variants() {
    return variants;
  }

  /** The name that the build or the command line asks for; null: the only one. */
  public String wanted() {
    return settings.text("variant", extension.getVariant());
  }

  /** The variant that is meant: the wanted one, or the only one; null where there is none or the user has to choose. */
  public AndroidVariant chosen() {
    for (AndroidVariant variant : variants) {
      if (variant.name().equals(wanted())) {
        return variant;
      }
    }
    return variants.size() == 1 ? variants.get(0) : null;
  }

  /** What the one variant that is meant needs; nothing where there is none or the user has to choose. */
  public List<String> chosenTasks() {
    AndroidVariant chosen = chosen();
    return chosen == null ? Collections.emptyList() : Collections.singletonList(chosen.bundleTask());
  }

  /** The bundle of the variant that is meant; a file that does not exist where nothing has tests. */
  public File chosenBundle() {
    AndroidVariant chosen = chosen();
    if (chosen == null && !variants.isEmpty()) {
      throw new GradleException(
          "navitas: " + project.getPath() + " has several variants: choose one by -Pnavitas.variant=" + variants.get(0).name());
    }
    return chosen == null ? bundle("none") : chosen.bundle();
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

  /** Fields of {@code bundle.json} that are the same for all variants. */
  public Map<String, Object> setup(String variant) {
    Map<String, Object> setup = new LinkedHashMap<>();
    setup.put("project", project.getRootProject().getName());
    setup.put("module", project.getPath());
    setup.put("variant", variant);
    setup.put("agp_version", agp.text());
    List<String> warnings = new ArrayList<>();
    if (agp.warning() != null) {
      warnings.add(agp.warning());
    }
    setup.put("warnings", warnings);
    return setup;
  }
}
