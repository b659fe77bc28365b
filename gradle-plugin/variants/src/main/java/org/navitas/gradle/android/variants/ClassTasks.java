package org.navitas.gradle.android.variants;

import com.android.build.api.artifact.ScopedArtifact;
import com.android.build.api.instrumentation.InstrumentationScope;
import com.android.build.api.variant.AndroidTest;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.Component;
import com.android.build.api.variant.ScopedArtifacts;
import com.android.build.api.variant.ScopedArtifactsOperation;
import com.android.build.api.variant.Variant;
import java.io.File;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import kotlin.Unit;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactView;
import org.gradle.api.file.Directory;
import org.gradle.api.tasks.TaskProvider;
import org.navitas.gradle.android.AndroidModule;
import org.navitas.gradle.android.ClassOptions;
import org.navitas.gradle.android.ClassPart;
import org.navitas.gradle.android.ClassWork;

/** The tasks that instrument the classes of one variant, part by part. The method map of each part continues the one before. */
final class ClassTasks {
    /** Names of Android's tasks that take the classes of modules and libraries. */
    private static final Pattern USES_CLASSES =
            Pattern.compile("^(?!navitas).*([dD]ex|[dD]esugar|[mM]inify|R8|Asm|Synthetic)");

    private final Project project;
    private final AndroidModule module;
    private final VariantFacts facts;
    private final Variant variant;
    private final boolean isApp;
    private final ClassOptions options;
    private final Map<ClassPart, TaskProvider<ClassesTask>> tasks = new EnumMap<>(ClassPart.class);

    ClassTasks(Project project, AndroidModule module, VariantFacts facts, Variant variant) {
        this.project = project;
        this.module = module;
        this.facts = facts;
        this.variant = variant;
        isApp = variant instanceof ApplicationVariant;
        options = module.classOptions();
    }

    /** Returns the tasks in the order of their parts. */
    Map<ClassPart, TaskProvider<ClassesTask>> all() {
        return tasks;
    }

    /** Registers the task for the app. Before it, one for the build's other modules, if Android can add their probes. */
    void registerApp() {
        boolean containsOthers = mayContainOthers(Dependencies.projects(project, variant, true));
        boolean modulesAreApart = containsOthers && options.allowClassByClass() && !facts.hasCoverage();
        if (modulesAreApart) {
            registerModules();
        }
        transform(variant, ClassPart.APP, containsOthers && !modulesAreApart);
    }

    /** Registers the task for the tests. */
    void registerTests(AndroidTest test) {
        Set<String> projects = Dependencies.projects(project, test, isApp);
        if (isApp) {
            projects.removeAll(Dependencies.projects(project, variant, true));
        }
        transform(test, ClassPart.TESTS, mayContainOthers(projects));
    }

    /**
     * Returns whether classes of other modules can be among a component's, given the projects that it names. Which libraries the
     * modules of an included build replace is unknown before the build.
     */
    private boolean mayContainOthers(Set<String> projects) {
        return !projects.isEmpty() || !project.getGradle().getIncludedBuilds().isEmpty();
    }

    /** Registers the task that gives ids to the methods of other modules. Android then adds the probes, module by module. */
    private void registerModules() {
        TaskProvider<ClassesTask> task = register(variant, ClassPart.MODULES, false);
        Directory folder = project.getLayout().getProjectDirectory();
        task.configure(it -> {
            it.getAllJars()
                    .set(Dependencies.jars(variant, true)
                            .getFiles()
                            .getElements()
                            .map(jars -> jars.stream()
                                    .map(jar -> folder.file(jar.getAsFile().getPath()))
                                    .collect(Collectors.toList())));
            it.setDescription(
                    "Gives ids to the methods of other modules in " + variant.getName() + " for energy profiling.");
            it.getLeftOut().set(variant.getInstrumentation().getExcludes());
            it.getIds().set(file(ClassPart.MODULES, "ids.json"));
        });
        variant.getInstrumentation().transformClassesWith(ModuleProbes.class, InstrumentationScope.ALL, parameters -> {
            parameters.getIds().set(task.flatMap(ClassesTask::getIds));
            return Unit.INSTANCE;
        });
        // Gradle reads the parameters of a transform once. For jars from outside of the build, it does so without
        // waiting for the task, and then takes the ids of the build before for all modules.
        String name = AndroidModule.capitalized(variant.getName());
        project.getTasks().configureEach(it -> {
            if (it.getName().contains(name)
                    && USES_CLASSES.matcher(it.getName()).find()) {
                it.dependsOn(task);
            }
        });
    }

    /** Registers a task whose results Android uses instead of the component's classes. */
    private void transform(Component component, ClassPart part, boolean containsOthers) {
        // If the scope includes libraries, Android merges all dex files whenever a class changes.
        boolean all = containsOthers || options.mayNameLibraries();
        TaskProvider<ClassesTask> task = register(component, part, all);
        ScopedArtifactsOperation<ClassesTask> classes = component
                .getArtifacts()
                .forScope(all ? ScopedArtifacts.Scope.ALL : ScopedArtifacts.Scope.PROJECT)
                .use(task);
        classes.toTransform(
                ScopedArtifact.CLASSES.INSTANCE,
                ClassesTask::getAllJars,
                ClassesTask::getAllDirectories,
                ClassesTask::getLibraries);
        // A transformed artifact is one jar, which Android dexes as a whole; a folder it dexes file by file.
        classes.toAppend(ScopedArtifact.CLASSES.INSTANCE, ClassesTask::getClasses);
        // Android's choice of the folder can contain the jar, which would be removed from it as a file that is no
        // class; and before 8.0, its choice of the jar is the same for each plugin.
        task.configure(it -> setPlaces(it, part));
    }

    private TaskProvider<ClassesTask> register(Component component, ClassPart part, boolean all) {
        boolean isTest = part == ClassPart.TESTS;
        boolean hasNotice = part == ClassPart.APP || isTest && !isApp;
        TaskProvider<ClassesTask> earlier = isTest ? tasks.get(ClassPart.APP) : tasks.get(ClassPart.MODULES);
        String name = "navitasInstrument" + AndroidModule.capitalized(variant.getName()) + part.folder;
        TaskProvider<ClassesTask> task = project.getTasks().register(name, ClassesTask.class, it -> {
            ArtifactView own = Dependencies.jars(component, true);
            it.setGroup("Navitas");
            it.setDescription("Instruments classes of " + component.getName() + " for energy profiling.");
            it.getOptions().set(options);
            if (options.edits() != null) {
                it.getBlockEdits().set(options.edits());
            }
            it.getTests().set(isTest);
            it.getInstrumentOwn().set(!isTest || module.instrumentTests());
            it.getWhole().set(all);
            it.getBuildFolder().set(project.getLayout().getBuildDirectory());
            it.getNavitasFolder().set(AndroidModule.folder(project));
            it.getProjectJars().from(own.getFiles());
            it.getModules().set(own.getArtifacts().getResolvedArtifacts().map(Dependencies::modules));
            it.getWritesMapClass().set(hasNotice);
            if (hasNotice) {
                it.getNotice().set(facts.notice(module));
            }
            setPlaces(it, part);
            if (earlier != null) {
                it.getEarlierMap().set(earlier.flatMap(ClassesTask::getMap));
            }
        });
        tasks.put(part, task);
        return task;
    }

    private void setPlaces(ClassesTask task, ClassPart part) {
        File map = module.map(variant.getName(), part);
        task.getMap().set(map);
        task.getSummary().set(ClassWork.summaryFile(map));
        task.getMemory().set(ClassWork.stateFile(map));
        task.getWork().set(file(part, "work"));
        task.getClasses().set(file(part, "classes"));
        task.getLibraries().set(file(part, "libraries.jar"));
    }

    private File file(ClassPart part, String name) {
        return new File(module.map(variant.getName(), part).getParentFile(), name);
    }
}
