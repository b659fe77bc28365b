package org.navitas.gradle;

import groovy.json.JsonOutput;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;
import org.gradle.api.DefaultTask;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskAction;

/**
 * Tells the command line, by one line on standard output, what a project is and where its bundle lies:
 * {@code navitas-project {"module": ":app", "kind": "java|android|other", "bundle": PATH|null}}. Runs each time.
 */
public class ReportTask extends DefaultTask {
  private String module;
  private String kind;
  private Provider<File> bundle;

  void settings(String module, String kind, Provider<File> bundle) {
    this.module = module;
    this.kind = kind;
    this.bundle = bundle;
    getOutputs().upToDateWhen(task -> false);
  }

  @TaskAction
  public void report() {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("module", module);
    line.put("kind", kind);
    line.put("bundle", bundle.get().exists() ? bundle.get().getAbsolutePath() : null);
    // toJson escapes what is not ASCII, so no encoding of the console can harm a path.
    System.out.println("navitas-project " + JsonOutput.toJson(line));
  }
}
