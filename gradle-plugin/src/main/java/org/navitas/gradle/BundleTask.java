package org.navitas.gradle;

import groovy.json.JsonOutput;
import groovy.json.JsonSlurper;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputDirectory;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;

/**
 * Packs what is needed to run a module's tests somewhere else: instrumented classes, libraries, Navitas's runtime and
 * JUnit listener, and how the {@code test} task would start its JVM. A module without tests gets no bundle.
 */
public class BundleTask extends ModuleTask {
  private static final List<String> CARRIED = Arrays.asList("navitas-runtime.jar", "navitas-runtime-junit.jar");

  private Provider<File> outputFolder;
  private Provider<Boolean> instrumentTests;
  private Provider<File> bundle;
  private Provider<Map<String, Object>> setup;

  /**
   * @param outputFolder what {@link InstrumentTask} writes to
   * @param bundle the file to make
   * @param setup fields of {@code bundle.json} that are known without building; {@code warnings} is a list among them
   */
  void settings(
      Provider<File> outputFolder,
      Provider<Boolean> instrumentTests,
      Provider<File> bundle,
      Provider<Map<String, Object>> setup) {
    this.outputFolder = outputFolder;
    this.instrumentTests = instrumentTests;
    this.bundle = bundle;
    this.setup = setup;
  }

  @InputDirectory
  public File getInstrumentedClasses() {
    return new File(outputFolder.get(), InstrumentTask.INSTRUMENTED);
  }

  /** Method map and summary; a module without tests has none. */
  @InputFiles
  public List<File> getMapAndSummary() {
    return Arrays.asList(
        new File(outputFolder.get(), InstrumentTask.MAP), new File(outputFolder.get(), InstrumentTask.SUMMARY));
  }

  @Input
  public boolean getInstrumentTests() {
    return instrumentTests.get();
  }

  /** Where each file of the class path goes. */
  @Input
  public List<String> getPlaces() {
    List<String> places = new ArrayList<>();
    for (ClassPathEntry entry : entries()) {
      places.add(entry.kind + " " + entry.path);
    }
    return places;
  }

  @Input
  public Map<String, Object> getSetup() {
    return setup.get();
  }

  @OutputFile
  public File getBundle() {
    return bundle.get();
  }

  @TaskAction
  public void pack() throws IOException {
    Path target = getBundle().toPath();
    if (!getHasTests()) {
      Files.deleteIfExists(target);
      return;
    }
    Path part = target.resolveSibling(target.getFileName() + ".part");
    try (BundleZip zip = new BundleZip(Files.newOutputStream(part))) {
      Map<?, ?> summary = (Map<?, ?>) new JsonSlurper().parse(getMapAndSummary().get(1), "UTF-8");
      Set<String> classPath = addClassPath(zip, String.valueOf(summary.get("map_id")));
      zip.add("map.json", Files.readAllBytes(getMapAndSummary().get(0).toPath()));
      zip.add("bundle.json", json(manifest(summary, classPath)));
    } catch (IOException e) {
      Files.deleteIfExists(part);
      throw e;
    }
    Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
  }

  private Set<String> addClassPath(BundleZip zip, String mapId) throws IOException {
    Set<String> classPath = new LinkedHashSet<>();
    int jars = 0;
    for (ClassPathEntry entry : entries()) {
      File instrumented = new File(getInstrumentedClasses(), entry.path);
      boolean plain = entry.kind == ClassPathEntry.Kind.TEST && !getInstrumentTests();
      if (entry.isJar()) {
        zip.addJar(entry.path, entry.isOwnCode() ? instrumented : entry.file);
        jars++;
      } else if (plain) {
        zip.addFolder(entry.path + "/", entry.file);
      } else if (!classPath.contains(entry.path)) {
        zip.addFolder(entry.path + "/", instrumented);
      }
      classPath.add(entry.path);
    }
    // The instrumenter puts the map's id into one of its outputs only; the runtime may look it up in any.
    zip.add("classes/META-INF/navitas/map.properties", ("map_id=" + mapId + "\n").getBytes(StandardCharsets.UTF_8));
    classPath.add("classes");
    for (String jar : CARRIED) {
      String path = String.format("lib/%03d-%s", jars++, jar);
      zip.add(path, carried(jar));
      classPath.add(path);
    }
    return classPath;
  }

  private Map<String, Object> manifest(Map<?, ?> summary, Set<String> classPath) {
    Map<String, Object> manifest = new LinkedHashMap<>();
    manifest.put("schema_version", 1);
    manifest.putAll(getSetup());
    manifest.put("map_id", summary.get("map_id"));
    manifest.put("class_path", classPath);
    manifest.put("test_roots", Collections.singletonList("test-classes"));
    List<Object> warnings = new ArrayList<>((List<?>) getSetup().get("warnings"));
    warnings.addAll((List<?>) summary.get("warnings"));
    manifest.put("warnings", warnings);
    return manifest;
  }

  private static byte[] json(Map<String, Object> document) {
    return JsonOutput.prettyPrint(JsonOutput.toJson(document)).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] carried(String jar) throws IOException {
    try (InputStream in = BundleTask.class.getResourceAsStream(jar)) {
      if (in == null) {
        throw new GradleException("navitas: the plugin's jar lacks " + jar + "; build or install it again");
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        bytes.write(buffer, 0, n);
      }
      return bytes.toByteArray();
    }
  }
}
