package org.navitas.gradle.android.variants;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.Directory;
import org.gradle.api.file.RegularFile;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.LocalState;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;
import org.navitas.gradle.android.ClassOptions;
import org.navitas.gradle.android.ClassSource;
import org.navitas.gradle.android.ClassWork;

/** Instruments the classes of one component on their way to the dexer. */
@CacheableTask
public abstract class ClassesTask extends DefaultTask {
  private static final String RESOURCE_IDS = "R.jar";

  @Classpath
  public abstract ListProperty<RegularFile> getAllJars();

  @Classpath
  public abstract ListProperty<Directory> getAllDirectories();

  /** Jars of the build's other projects; only some of {@link #getAllJars}. */
  @Classpath
  public abstract ConfigurableFileCollection getProjectJars();

  /** Paths of projects by those of their jars. */
  @Internal
  public abstract MapProperty<String, String> getModules();

  @Input
  public Provider<TreeSet<String>> getModuleNames() {
    return getModules().map(modules -> new TreeSet<>(modules.values()));
  }

  @Internal
  public abstract Property<ClassOptions> getOptions();

  @Input
  public Provider<String> getOptionsText() {
    return getOptions().map(ClassOptions::text);
  }

  /** Whether the component is one of tests. */
  @Input
  public abstract Property<Boolean> getTests();

  /** Whether the component's own classes get probes. */
  @Input
  public abstract Property<Boolean> getInstrumentOwn();

  /** Whether libraries come too, not the component's own classes alone. */
  @Input
  public abstract Property<Boolean> getWhole();

  @Input
  public abstract Property<Boolean> getWritesMapClass();

  /** The map of the app that these classes test. */
  @Optional
  @InputFile
  @PathSensitive(PathSensitivity.NONE)
  public abstract RegularFileProperty getEarlierMap();

  @OutputFile
  public abstract RegularFileProperty getOutput();

  @OutputFile
  public abstract RegularFileProperty getMap();

  /** {@link ClassWork#summaryFile} of the map. */
  @OutputFile
  public abstract RegularFileProperty getSummary();

  /** Copies with probes, and what is remembered of them, so that unchanged classes are left alone. */
  @LocalState
  public abstract RegularFileProperty getWork();

  /** {@link ClassWork#stateFile} of the map. */
  @LocalState
  public abstract RegularFileProperty getMemory();

  @TaskAction
  public void instrument() throws IOException {
    File earlier = getEarlierMap().isPresent() ? getEarlierMap().get().getAsFile() : null;
    ClassWork.intoJar(
        sources(), getOptions().get(), earlier, getMap().get().getAsFile(), getWork().get().getAsFile(),
        getOutput().get().getAsFile(), getWritesMapClass().get(), getLogger());
  }

  private List<ClassSource> sources() {
    String module = getOptions().get().module;
    Map<String, String> modules = getModules().get();
    List<ClassSource> sources = new ArrayList<>();
    for (Directory folder : getAllDirectories().get()) {
      sources.add(own(folder.getAsFile(), module));
    }
    for (RegularFile each : getAllJars().get()) {
      File jar = each.getAsFile();
      String project = modules.get(jar.getPath());
      if (project != null) {
        sources.add(ClassSource.own(jar, project, false));
      } else if (jar.getName().equals(RESOURCE_IDS)) {
        sources.add(ClassSource.plain(jar));
      } else {
        sources.add(getWhole().get() ? ClassSource.library(jar, module) : own(jar, module));
      }
    }
    return sources;
  }

  private ClassSource own(File file, String module) {
    return getInstrumentOwn().get() ? ClassSource.own(file, module, getTests().get()) : ClassSource.plain(file);
  }
}
