package org.navitas.gradle;

import groovy.json.JsonOutput;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskAction;

/**
 * Tells the command line what a project is and where its bundles lie, by a line on standard output for each:
 * {@code navitas-project {"module": ":app", "kind": "java|android|other", "variant": NAME|null, "bundle": PATH|null,
 * "framework": [PATH, …]|null, "java": VERSION}}, where {@code java} is what Gradle runs on. Runs each time.
 */
public class ReportTask extends DefaultTask {
  private String module;
  private String kind;
  private Provider<Map<String, File>> bundles;
  private FileCollection framework;

  /**
   * @param bundles by variant; the name is empty where there are no variants, and a file that does not exist is no bundle
   * @param framework Android's for a virtual phone; null where none was asked for
   */
  void settings(String module, String kind, Provider<Map<String, File>> bundles, FileCollection framework) {
    this.module = module;
    this.kind = kind;
    this.bundles = bundles;
    this.framework = framework;
    getOutputs().upToDateWhen(task -> false);
  }

  /** Names of the variants that are told of. */
  public Set<String> variants() {
    Set<String> names = new TreeSet<>(bundles.get().keySet());
    names.remove("");
    return names;
  }

  @TaskAction
  public void report() {
    List<String> files = framework == null ? null : new ArrayList<>();
    if (framework != null) {
      framework.forEach(file -> files.add(file.getAbsolutePath()));
    }
    bundles.get().forEach((variant, bundle) -> {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("module", module);
      line.put("kind", kind);
      line.put("variant", variant.isEmpty() ? null : variant);
      line.put("bundle", bundle != null && bundle.exists() ? bundle.getAbsolutePath() : null);
      line.put("framework", files);
      line.put("java", System.getProperty("java.version"));
      // toJson escapes what is not ASCII, so no encoding of the console can harm a path.
      System.out.println("navitas-project " + JsonOutput.toJson(line));
    });
  }
}
