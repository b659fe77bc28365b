package org.navitas.gradle;

import java.io.File;
import java.util.Collections;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.Dependency;
import org.gradle.api.artifacts.ResolveException;
import org.gradle.api.artifacts.component.ComponentIdentifier;
import org.gradle.api.artifacts.component.ModuleComponentIdentifier;
import org.gradle.api.artifacts.result.ResolvedComponentResult;
import org.gradle.api.tasks.testing.Test;

/**
 * Finds the JUnit Platform's launcher. Gradle before 9 adds its own at run time, so test class paths may lack it.
 * Navitas then adds the launcher in the version of the test class path's engine.
 */
final class PlatformLauncher {
  private static final String GROUP = "org.junit.platform";
  private static final String LAUNCHER = "junit-platform-launcher";
  private static final String ENGINE = "junit-platform-engine";
  /** Jars that contain a launcher. */
  private static final Pattern LAUNCHER_JAR = Pattern.compile("junit-platform-(?:launcher|console-standalone)-.*\\.jar");
  private static final Pattern ENGINE_JAR = Pattern.compile(ENGINE + "-(\\d.*)\\.jar");

  private final Project project;
  private Set<File> resolved;

  PlatformLauncher(Project project) {
    this.project = project;
  }

  /**
   * Returns the jar to add to the class path of a task; empty if none is needed. {@code runtime} is the configuration
   * of the class path. Throws GradleException if the jar cannot be resolved.
   */
  Set<File> missing(Test test, String runtime) {
    if (!TestFramework.isPlatform(test)) {
      return Collections.emptySet();
    }
    if (resolved == null) {
      Configuration configuration = project.getConfigurations().getByName(runtime);
      String version = null;
      boolean isThere = false;
      for (ResolvedComponentResult one : configuration.getIncoming().getResolutionResult().getAllComponents()) {
        ComponentIdentifier id = one.getId();
        if (id instanceof ModuleComponentIdentifier && ((ModuleComponentIdentifier) id).getGroup().equals(GROUP)) {
          ModuleComponentIdentifier module = (ModuleComponentIdentifier) id;
          isThere |= module.getModule().equals(LAUNCHER) || module.getModule().equals("junit-platform-console-standalone");
          version = module.getModule().equals(ENGINE) ? module.getVersion() : version;
        }
      }
      if (!isThere) { // jars that are not Gradle components
        for (File file : test.getClasspath()) {
          Matcher engine = ENGINE_JAR.matcher(file.getName());
          isThere |= LAUNCHER_JAR.matcher(file.getName()).matches();
          version = version == null && engine.matches() ? engine.group(1) : version;
        }
      }
      resolved = isThere ? Collections.emptySet() : resolve(test, version);
    }
    return resolved;
  }

  private Set<File> resolve(Test test, String version) {
    if (version == null) {
      throw new GradleException(
          "navitas: " + test.getPath() + " uses the JUnit Platform, but there is no " + ENGINE + " on its class path. Add an"
              + " engine, such as testImplementation 'org.junit.jupiter:junit-jupiter:5.10.2'.");
    }
    Dependency launcher = project.getDependencies().create(GROUP + ":" + LAUNCHER + ":" + version + "@jar");
    try {
      return project.getConfigurations().detachedConfiguration(launcher).resolve();
    } catch (ResolveException e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      // Without a cause: Gradle shows only the innermost exception of a chain.
      throw new GradleException(
          "navitas: " + test.getPath() + " uses the JUnit Platform, but " + LAUNCHER + " " + version + " is not on its class path"
              + " and the build's repositories do not provide it (" + String.valueOf(why.getMessage()).split("\n")[0]
              + "). Add testRuntimeOnly '" + GROUP + ":" + LAUNCHER + ":" + version + "', or build once with network access.");
    }
  }
}
