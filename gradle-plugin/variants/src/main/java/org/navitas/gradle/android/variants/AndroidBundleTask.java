package org.navitas.gradle.android.variants;

import com.android.build.api.variant.BuiltArtifact;
import com.android.build.api.variant.BuiltArtifacts;
import com.android.build.api.variant.BuiltArtifactsLoader;
import com.android.build.api.variant.FilterConfiguration;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.Directory;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputDirectory;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;
import org.navitas.gradle.android.AndroidBundle;

/** Packs one variant's APKs; where they lie is told by Android's own metadata. */
@CacheableTask
public abstract class AndroidBundleTask extends DefaultTask {
  /** Fields of the bundle that are known without building. */
  @Input
  public abstract MapProperty<String, Object> getSetup();

  @Input
  public abstract Property<String> getPackage();

  @Input
  public abstract Property<String> getTestPackage();

  /** Absent where there are no tests. */
  @Optional
  @Input
  public abstract Property<String> getRunner();

  @Internal
  public abstract Property<BuiltArtifactsLoader> getLoader();

  /** Absent where a library is tested. */
  @Optional
  @InputDirectory
  @PathSensitive(PathSensitivity.RELATIVE)
  public abstract DirectoryProperty getAppApks();

  /** Absent where there are no tests. */
  @Optional
  @InputDirectory
  @PathSensitive(PathSensitivity.RELATIVE)
  public abstract DirectoryProperty getTestApks();

  @Optional
  @InputFile
  @PathSensitive(PathSensitivity.NONE)
  public abstract RegularFileProperty getMapping();

  /** The app's, then its tests', which continues it. */
  @InputFiles
  @PathSensitive(PathSensitivity.NAME_ONLY)
  public abstract ConfigurableFileCollection getMaps();

  @InputFiles
  @PathSensitive(PathSensitivity.NAME_ONLY)
  public abstract ConfigurableFileCollection getSummaries();

  /** Whether classes for a virtual phone go with the APKs. */
  @Input
  public abstract Property<Boolean> getVirtual();

  @Classpath
  public abstract ConfigurableFileCollection getAppClasses();

  @Classpath
  public abstract ConfigurableFileCollection getTestClasses();

  @OutputFile
  public abstract RegularFileProperty getBundle();

  @TaskAction
  public void pack() throws IOException {
    AndroidBundle bundle = new AndroidBundle(getSetup().get());
    bundle.put("package", getPackage().get());
    bundle.put("test_package", getTestPackage().get());
    bundle.put("runner", getRunner().getOrNull());
    if (getAppApks().isPresent()) {
      for (BuiltArtifact apk : artifacts(getAppApks()).getElements()) {
        bundle.addApp(new File(apk.getOutputFile()), abi(apk));
      }
    }
    if (getTestApks().isPresent()) {
      bundle.setTest(new File(artifacts(getTestApks()).getElements().iterator().next().getOutputFile()));
    }
    bundle.setMaps(new ArrayList<>(getMaps().getFiles()));
    bundle.setMapping(getMapping().isPresent() ? getMapping().get().getAsFile() : null);
    if (getVirtual().get()) {
      bundle.setClassPath(getAppClasses(), getTestClasses());
    }
    bundle.write(getBundle().get().getAsFile());
  }

  private BuiltArtifacts artifacts(DirectoryProperty folder) {
    Directory directory = folder.get();
    BuiltArtifacts artifacts = getLoader().get().load(directory);
    if (artifacts == null || artifacts.getElements().isEmpty()) {
      throw new GradleException("navitas: " + directory + ": the Android plugin tells of no APK there");
    }
    return artifacts;
  }

  private static String abi(BuiltArtifact apk) {
    for (FilterConfiguration filter : apk.getFilters()) {
      if (filter.getFilterType() == FilterConfiguration.FilterType.ABI) {
        return filter.getIdentifier();
      }
    }
    return null;
  }
}
