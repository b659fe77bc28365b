package org.navitas.gradle.android.variants;

import com.android.build.api.artifact.ScopedArtifact;
import com.android.build.api.artifact.SingleArtifact;
import com.android.build.api.instrumentation.InstrumentationScope;
import com.android.build.api.variant.AndroidTest;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.Component;
import com.android.build.api.variant.ScopedArtifacts;
import com.android.build.api.variant.ScopedArtifactsOperation;
import com.android.build.api.variant.Variant;
import java.io.File;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import kotlin.Unit;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactView;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.ProjectDependency;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.artifacts.result.ResolvedArtifactResult;
import org.gradle.api.attributes.Attribute;
import org.gradle.api.file.Directory;
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
  // The parts of a variant's classes, as folders and in the names of tasks.
  private static final String LIBRARIES = "Libraries";
  private static final String APP = "App";
  private static final String TESTS = "Tests";

  private final Project project;
  private final AndroidModule module;
  private final VariantFacts facts;
  private final Variant variant;
  private final AndroidTest test;
  private final boolean isApp;
  /** Gives ids to the methods of other projects; null if these are processed with the app's classes. */
  private TaskProvider<ClassesTask> libraries;

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
    libraries = isApp && projectsAreAlone() ? libraries() : null;
    TaskProvider<ClassesTask> app = isApp ? classes(variant, APP, libraries, libraries == null ? projects(variant) : Collections.emptySet()) : null;
    if (test == null) {
      bundle(bundled, app, null);
      return;
    }
    module.addRuntime(project.getConfigurations().getByName(testName + RUNTIME_ONLY), true);
    Set<String> testProjects = projects(test);
    testProjects.removeAll(isApp ? projects(variant) : new HashSet<>());
    bundle(bundled, app, classes(test, TESTS, app, testProjects));
  }

  /** Returns whether the classes of other projects get their probes one by one, apart from those of the app. */
  private boolean projectsAreAlone() {
    return !projects(variant).isEmpty() && module.classOptions().fitSingleClasses() && project.getGradle().getIncludedBuilds().isEmpty();
  }

  /** Registers the task that gives ids to the methods of other projects. Android then adds the probes project by project. */
  private TaskProvider<ClassesTask> libraries() {
    Directory root = project.getLayout().getProjectDirectory();
    TaskProvider<ClassesTask> task = task(variant, LIBRARIES, null, false, it -> {
      it.getAllJars().set(jars(variant, true).getFiles().getElements()
          .map(jars -> jars.stream().map(jar -> root.file(jar.getAsFile().getPath())).collect(Collectors.toList())));
      place(it, LIBRARIES);
      it.getIds().set(new File(folder(LIBRARIES), "ids.json"));
    });
    variant.getInstrumentation().transformClassesWith(LibraryProbes.class, InstrumentationScope.ALL, parameters -> {
      parameters.getIds().set(task.flatMap(ClassesTask::getIds));
      return Unit.INSTANCE;
    });
    return task;
  }

  /** Registers the task for the classes of a component, with all libraries if it contains some of the given projects. */
  private TaskProvider<ClassesTask> classes(
      Component component, String part, TaskProvider<ClassesTask> earlier, Set<String> projects) {
    // If the scope includes libraries, Android dexes all of them again whenever a class changes.
    boolean all = !projects.isEmpty() || !project.getGradle().getIncludedBuilds().isEmpty() || module.classOptions().mayNameLibraries();
    TaskProvider<ClassesTask> task = task(component, part, earlier, all, it -> { });
    ScopedArtifactsOperation<ClassesTask> classes =
        component.getArtifacts().forScope(all ? ScopedArtifacts.Scope.ALL : ScopedArtifacts.Scope.PROJECT).use(task);
    classes.toTransform(
        ScopedArtifact.CLASSES.INSTANCE, ClassesTask::getAllJars, ClassesTask::getAllDirectories, ClassesTask::getLibraries);
    // A transformed artifact is one jar, which Android dexes as a whole; a folder it dexes file by file.
    classes.toAppend(ScopedArtifact.CLASSES.INSTANCE, ClassesTask::getClasses);
    // Android's choice of the folder can contain the jar, which would be removed from it as a file that is no class; and before
    // 8.0, its choice of the jar is the same for each plugin.
    task.configure(it -> place(it, part));
    return task;
  }

  private TaskProvider<ClassesTask> task(
      Component component, String part, TaskProvider<ClassesTask> earlier, boolean all, Action<ClassesTask> more) {
    ClassOptions options = module.classOptions();
    String name = "navitasInstrument" + AndroidModule.capitalized(variant.getName()) + part;
    boolean isFirst = component == variant || !isApp;
    return project.getTasks().register(name, ClassesTask.class, it -> {
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
      it.getWritesMapClass().set(isFirst && !part.equals(LIBRARIES));
      if (isFirst && !part.equals(LIBRARIES)) {
        it.getNotice().set(facts.notice(module));
      }
      File map = new File(folder(part), "map.json");
      it.getWork().set(new File(folder(part), "work"));
      it.getMap().set(map);
      it.getSummary().set(ClassWork.summaryFile(map));
      it.getMemory().set(ClassWork.stateFile(map));
      if (earlier != null) {
        it.getEarlierMap().set(earlier.flatMap(ClassesTask::getMap));
      }
      more.execute(it);
    });
  }

  private void place(ClassesTask task, String part) {
    task.getClasses().set(new File(folder(part), "classes"));
    task.getLibraries().set(new File(folder(part), "libraries.jar"));
  }

  /** Returns the folder of the task for a part. */
  private File folder(String part) {
    return new File(module.folder(variant.getName()), part);
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
      if (libraries != null) {
        it.getMaps().from(libraries.flatMap(ClassesTask::getMap));
        it.getSummaries().from(libraries.flatMap(ClassesTask::getSummary));
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
          it.getAppClasses().from(app.flatMap(ClassesTask::getClasses), app.flatMap(ClassesTask::getLibraries));
          if (libraries != null) {
            it.getAppClasses().from(libraries.flatMap(ClassesTask::getClasses));
          }
          it.getAppClasses().from(jars(variant, false).getFiles());
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
