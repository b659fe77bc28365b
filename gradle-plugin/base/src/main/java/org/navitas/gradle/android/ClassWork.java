package org.navitas.gradle.android;

import groovy.json.JsonOutput;
import groovy.json.JsonSlurper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.gradle.api.GradleException;
import org.gradle.api.logging.Logger;
import org.navitas.gradle.BundleZip;
import org.navitas.gradle.CarriedJars;
import org.navitas.instrument.BulkInstrumenter;
import org.navitas.instrument.Input;
import org.navitas.instrument.InstrumentException;
import org.navitas.instrument.MapClass;
import org.navitas.instrument.Summary;

/** Instruments the classes of one variant, or of its tests. */
public final class ClassWork {
  private static final String CLASS = ".class";

  private ClassWork() {}

  /**
   * Puts probes into classes.
   *
   * @param earlierMap the map of the app that these test; null: there is none
   * @param map where the map goes; beside it goes the summary, which {@link #summary} reads
   * @return the map's id
   */
  public static String instrument(List<Input> inputs, ClassOptions options, File earlierMap, File map, Logger log) {
    try {
      Path earlier = earlierMap == null ? null : earlierMap.toPath();
      Summary summary = BulkInstrumenter.run(inputs, options.options(), map.toPath(), earlier);
      List<String> warnings = options.isNothing() ? Collections.emptyList() : summary.warnings();
      warnings.forEach(warning -> log.warn("navitas: {}", warning));
      log.info(
          "navitas: {} classes, {} methods with probes, {} classes written, {} reused",
          summary.classes(), summary.methods(), summary.rewritten(), summary.reused());
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("map_id", summary.mapId());
      document.put("warnings", warnings);
      Files.write(summaryFile(map).toPath(), JsonOutput.toJson(document).getBytes(StandardCharsets.UTF_8));
      return summary.mapId();
    } catch (InstrumentException | IOException e) {
      throw new GradleException("navitas: " + options.module + ": " + e.getMessage(), e);
    }
  }

  /** The file with the id of a map, and what the instrumenter warned of. */
  public static File summaryFile(File map) {
    return new File(map.getParentFile(), map.getName() + ".summary");
  }

  /** What the instrumenter remembers of a map's classes. */
  public static File stateFile(File map) {
    return new File(map.getParentFile(), map.getName() + ".state");
  }

  static Map<?, ?> summary(File map) {
    return (Map<?, ?>) new JsonSlurper().parse(summaryFile(map), "UTF-8");
  }

  /**
   * The same for all classes of an APK, which become one jar.
   *
   * @param work a folder that is kept from run to run
   * @param writesMapClass whether the jar tells the map's id
   */
  public static void intoJar(
      List<ClassSource> sources, ClassOptions options, File earlierMap, File map, File work, File jar,
      boolean writesMapClass, Logger log) throws IOException {
    List<Input> inputs = new ArrayList<>();
    Map<ClassSource, File> copies = new LinkedHashMap<>();
    for (ClassSource source : sources) {
      if (source.mayGetProbes(options)) {
        String suffix = source.file.isDirectory() ? "" : ".jar";
        File copy = new File(work, inputs.size() + suffix);
        inputs.add(new Input(source.file.toPath(), copy.toPath(), source.kind, source.module));
        copies.put(source, copy);
      }
    }
    String mapId = inputs.isEmpty() ? sameMap(options, earlierMap, map) : instrument(inputs, options, earlierMap, map, log);
    try (BundleZip zip = new BundleZip(Files.newOutputStream(jar.toPath()))) {
      if (writesMapClass) {
        zip.add(MapClass.PATH, MapClass.bytes(mapId));
      }
      for (ClassSource source : sources) {
        File from = copies.getOrDefault(source, source.file);
        if (from.isDirectory()) {
          zip.addFolder("", from, ClassWork::isClass);
        } else if (from.exists()) {
          addJar(zip, from);
        }
      }
    }
  }

  /** Where no class is to get probes, the map is the one of the app. */
  private static String sameMap(ClassOptions options, File earlierMap, File map) throws IOException {
    if (earlierMap == null) {
      throw new GradleException("navitas: " + options.module + ": there are no classes to profile");
    }
    Files.copy(earlierMap.toPath(), map.toPath(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(summaryFile(earlierMap).toPath(), summaryFile(map).toPath(), StandardCopyOption.REPLACE_EXISTING);
    return String.valueOf(summary(map).get("map_id"));
  }

  private static void addJar(BundleZip zip, File file) throws IOException {
    try (ZipFile jar = new ZipFile(file)) {
      for (ZipEntry entry : Collections.list(jar.entries())) {
        if (isClass(entry.getName())) {
          zip.add(entry.getName(), CarriedJars.read(jar.getInputStream(entry)));
        }
      }
    }
  }

  /** Not the resources, which go into an APK by another way, and no class that is for later versions of Java alone. */
  private static boolean isClass(String name) {
    return name.endsWith(CLASS) && !name.startsWith("META-INF/") && !name.endsWith("module-info.class");
  }
}
