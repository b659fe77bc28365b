package org.navitas.gradle;

import groovy.json.JsonOutput;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.LocalState;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;
import org.navitas.instrument.BulkInstrumenter;
import org.navitas.instrument.InstrumentException;
import org.navitas.instrument.Options;
import org.navitas.instrument.Summary;

/**
 * Instruments a module's main and test classes and those of the projects it depends on, into folders of its own.
 * The output folder is laid out as the bundle is. Resources go with their classes.
 */
@CacheableTask
public class InstrumentTask extends ModuleTask {
  static final String INSTRUMENTED = "instrumented";
  static final String MAP = "map.json";
  static final String SUMMARY = "summary.json";

  private Provider<List<String>> includes;
  private Provider<List<String>> excludes;
  private Provider<Boolean> instrumentTests;
  private Provider<Boolean> skipTrivial;
  private Provider<File> outputFolder;

  void settings(
      Provider<List<String>> includes,
      Provider<List<String>> excludes,
      Provider<Boolean> instrumentTests,
      Provider<Boolean> skipTrivial,
      Provider<File> outputFolder) {
    this.includes = includes;
    this.excludes = excludes;
    this.instrumentTests = instrumentTests;
    this.skipTrivial = skipTrivial;
    this.outputFolder = outputFolder;
  }

  /** Where what gets probes goes and whose it is; the map and the names of outputs depend on it. */
  @Input
  public List<String> getPlaces() {
    List<String> places = new ArrayList<>();
    for (ClassPathEntry entry : entries()) {
      if (takes(entry)) {
        places.add(entry.path + " " + entry.module + (entry.isTestCode ? " test" : ""));
      }
    }
    return places;
  }

  @Input
  public List<String> getIncludes() {
    return includes.get();
  }

  @Input
  public List<String> getExcludes() {
    return excludes.get();
  }

  @Input
  public boolean getInstrumentTests() {
    return instrumentTests.get();
  }

  @Input
  public boolean getSkipTrivial() {
    return skipTrivial.get();
  }

  @OutputDirectory
  public File getInstrumentedClasses() {
    return new File(outputFolder.get(), INSTRUMENTED);
  }

  @OutputFile
  public File getMap() {
    return new File(outputFolder.get(), MAP);
  }

  /** The map's id and what the instrumenter warned of, for the bundle. */
  @OutputFile
  public File getSummary() {
    return new File(outputFolder.get(), SUMMARY);
  }

  /** What the instrumenter remembers to leave unchanged classes alone. */
  @LocalState
  public File getMapState() {
    return new File(outputFolder.get(), MAP + ".state");
  }

  @TaskAction
  public void instrument() {
    if (!getHasTests()) {
      return;
    }
    Path out = getInstrumentedClasses().toPath();
    List<org.navitas.instrument.Input> inputs = new ArrayList<>();
    for (ClassPathEntry entry : entries()) {
      if (takes(entry)) {
        String source = entry.isTestCode ? "test" : "main";
        inputs.add(
            new org.navitas.instrument.Input(entry.file.toPath(), out.resolve(entry.path), source, entry.module));
      }
    }
    if (inputs.isEmpty()) {
      throw new GradleException(
          getPath() + ": there is nothing to profile: this module has no code but its tests, and those are to get no probes");
    }
    Options options = Options.builder().include(getIncludes()).exclude(getExcludes()).skipTrivial(getSkipTrivial()).build();
    try {
      Summary summary = BulkInstrumenter.run(inputs, options, getMap().toPath());
      for (String warning : summary.warnings()) {
        getLogger().warn("navitas: {}", warning);
      }
      write(summary);
      getLogger().info(
          "navitas: {} classes, {} methods with probes, {} classes written, {} reused",
          summary.classes(), summary.methods(), summary.rewritten(), summary.reused());
    } catch (InstrumentException | IOException e) {
      throw new GradleException(getPath() + ": " + e.getMessage(), e);
    }
  }

  private void write(Summary summary) throws IOException {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("map_id", summary.mapId());
    document.put("warnings", summary.warnings());
    Files.write(getSummary().toPath(), JsonOutput.toJson(document).getBytes(StandardCharsets.UTF_8));
  }

  private boolean takes(ClassPathEntry entry) {
    return entry.isOwnCode() && (getInstrumentTests() || !entry.isTestCode);
  }
}
