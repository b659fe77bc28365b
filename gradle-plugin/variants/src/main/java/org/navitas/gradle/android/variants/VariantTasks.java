package org.navitas.gradle.android.variants;

import com.android.build.api.artifact.ScopedArtifact;
import com.android.build.api.artifact.SingleArtifact;
import com.android.build.api.variant.AndroidTest;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.Component;
import com.android.build.api.variant.ScopedArtifacts;
import com.android.build.api.variant.ScopedArtifactsOperation;
import com.android.build.api.variant.Variant;
import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactView;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.ProjectDependency;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.artifacts.result.ResolvedArtifactResult;
import org.gradle.api.attributes.Attribute;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;
import org.navitas.gradle.ModulePath;
import org.navitas.gradle.NewerGradle;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.AndroidVariant;
import org.navitas.gradle.android.ClassOptions;
import org.navitas.gradle.android.ClassWork;

/** The tasks of one variant: its classes, its tests' classes, and their bundle. */
final class VariantTasks {
  private static final Attribute<String> ARTIFACT_TYPE = Attribute.of("artifactType", String.class);
  private static final String CLASSES_JAR = "android-classes-jar";
  private static final String RUNTIME_ONLY = "RuntimeOnly";

  private final Project project;
  private final AndroidModule module;
  private final VariantFacts facts;
  private final Variant variant;
  private final AndroidTest test;
  private final boolean isApp;

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
  }

  void register(AndroidVariant bundled) {
    String testName = "androidTest" + AndroidModule.capitalized(variant.getName());
    module.addRuntime(project.getConfigurations().getByName((isApp ? variant.getName() : testName) + RUNTIME_ONLY), false);
    TaskProvider<ClassesTask> app = isApp ? classes(variant, "App", null, projects(variant)) : null;
    if (test == null) {
      bundle(bundled, app, null);
      return;
    }
    module.addRuntime(project.getConfigurations().getByName(testName + RUNTIME_ONLY), true);
    Set<String> testProjects = projects(test);
    testProjects.removeAll(isApp ? projects(variant) : new HashSet<>());
    bundle(bundled, app, classes(test, "Tests", app, testProjects));
  }

  private TaskProvider<ClassesTask> classes(
      Component component, String suffix, TaskProvider<ClassesTask> earlier, Set<String> projects) {
    ClassOptions options = module.classOptions();
    // If the scope includes libraries, Android dexes all of them again whenever a class changes.
    boolean all = !projects.isEmpty() || options.mayNameLibraries() || !project.getGradle().getIncludedBuilds().isEmpty();
    String name = "navitasInstrument" + AndroidModule.capitalized(variant.getName()) + suffix;
    TaskProvider<ClassesTask> task = project.getTasks().register(name, ClassesTask.class, it -> {
      ArtifactView own = jars(component, true);
      it.setGroup("Navitas");
      it.setDescription("Instruments classes of " + component.getName() + " for energy profiling.");
      it.getOptions().set(options);
      if (options.edits() != null) {
        it.getBlockEdits().set(options.edits());
      }
      it.getTests().set(component == test);
      it.getInstrumentOwn().set(component != test || module.instrumentTests());
      it.getWhole().set(all);
      it.getBuildFolder().set(project.getLayout().getBuildDirectory());
      it.getNavitasFolder().set(AndroidModule.folder(project));
      it.getProjectJars().from(own.getFiles());
      it.getModules().set(own.getArtifacts().getResolvedArtifacts().map(VariantTasks::modules));
      it.getWritesMapClass().set(earlier == null);
      if (earlier == null) {
        it.getNotice().set(facts.notice(module));
      }
      File map = module.map(variant.getName(), component == test);
      it.getWork().set(new File(map.getParentFile(), "work"));
      it.getMap().set(map);
      it.getSummary().set(ClassWork.summaryFile(map));
      it.getMemory().set(ClassWork.stateFile(map));
      if (earlier != null) {
        it.getEarlierMap().set(earlier.flatMap(ClassesTask::getMap));
      }
    });
    ScopedArtifactsOperation<ClassesTask> classes =
        component.getArtifacts().forScope(all ? ScopedArtifacts.Scope.ALL : ScopedArtifacts.Scope.PROJECT).use(task);
    classes.toTransform(
        ScopedArtifact.CLASSES.INSTANCE, ClassesTask::getAllJars, ClassesTask::getAllDirectories, ClassesTask::getLibraries);
    // A transformed artifact is one jar, which Android dexes as a whole; a folder it dexes file by file.
    classes.toAppend(ScopedArtifact.CLASSES.INSTANCE, ClassesTask::getClasses);
    // Android's choice of the folder can contain the jar, which would be removed from it as a file that is no class.
    task.configure(it -> it.getClasses().set(new File(module.map(variant.getName(), component == test).getParentFile(), "classes")));
    return task;
  }

  private void bundle(AndroidVariant bundled, TaskProvider<ClassesTask> app, TaskProvider<ClassesTask> tests) {
    Map<String, Object> setup = facts.setup(module);
    Provider<String> tested = (isApp ? (ApplicationVariant) variant : test).getApplicationId();
    project.getTasks().register(bundled.bundleTask(), AndroidBundleTask.class, it -> {
      it.setGroup("Navitas");
      it.setDescription("Packs the instrumented APKs of " + variant.getName() + " with the data that the command line needs.");
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
      if (isApp) {
        it.getMaps().from(app.flatMap(ClassesTask::getMap));
        it.getSummaries().from(app.flatMap(ClassesTask::getSummary));
      }
      if (test != null) {
        it.getMaps().from(tests.flatMap(ClassesTask::getMap));
        it.getSummaries().from(tests.flatMap(ClassesTask::getSummary));
      }
      it.getVirtual().set(module.forVirtualPhone());
      if (module.forVirtualPhone()) {
        if (isApp) {
          it.getAppClasses().from(app.flatMap(ClassesTask::getClasses), app.flatMap(ClassesTask::getLibraries), jars(variant, false).getFiles());
        }
        if (test != null) {
          it.getTestClasses().from(tests.flatMap(ClassesTask::getClasses), tests.flatMap(ClassesTask::getLibraries), jars(test, false).getFiles());
        }
      }
      it.getBundle().set(bundled.bundle());
    });
  }

  /** Returns jars of a component's dependencies: those of the build's projects, or all others. */
  private static ArtifactView jars(Component component, boolean own) {
    return component.getRuntimeConfiguration().getIncoming().artifactView(view -> {
      view.componentFilter(id -> id instanceof ProjectComponentIdentifier == own);
      view.attributes(attributes -> attributes.attribute(ARTIFACT_TYPE, CLASSES_JAR));
    });
  }

  private static Map<String, String> modules(Set<ResolvedArtifactResult> artifacts) {
    Map<String, String> modules = new HashMap<>();
    for (ResolvedArtifactResult artifact : artifacts) {
      modules.put(artifact.getFile().getPath(), ModulePath.of(artifact.getId().getComponentIdentifier()));
    }
    return modules;
  }

  /** Returns the paths of the projects that a component depends on, without itself if it is an app. */
  private Set<String> projects(Component component) {
    Configuration runtime = component.getRuntimeConfiguration();
    Set<String> paths = new HashSet<>();
    for (ProjectDependency dependency : runtime.getAllDependencies().withType(ProjectDependency.class)) {
      Object path = NewerGradle.call(dependency, ProjectDependency.class, "getPath");
      paths.add(path != null ? path.toString() : dependency.getDependencyProject().getPath());
    }
    if (isApp) {
      paths.remove(project.getPath());
    }
    return paths;
  }
}
