package org.navitas.gradle.android;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.navitas.gradle.NavitasExtension;
import org.navitas.gradle.Settings;

/** The variants of an Android module that have instrumentation tests, and which of them is meant. */
public final class VariantChoice {
  private final Project project;
  private final AndroidModule module;
  private final Settings settings;
  private final NavitasExtension extension;
  private final List<AndroidVariant> variants = new ArrayList<>();

  VariantChoice(Project project, AndroidModule module, Settings settings, NavitasExtension extension) {
    this.project = project;
    this.module = module;
    this.settings = settings;
    this.extension = extension;
  }

  /** Adds a variant that has tests, and says what its bundle is to be. */
  public AndroidVariant add(String name) {
    AndroidVariant variant = withoutTests(name);
    variants.add(variant);
    return variant;
  }

  /** What the bundle of a variant is to be that has no tests to profile: its app can be recorded. */
  public AndroidVariant withoutTests(String name) {
    File bundle = new File(module.folder(name), project.getName() + "-" + name + ".bundle.zip");
    return new AndroidVariant(name, "navitasBundle" + AndroidModule.capitalized(name), bundle);
  }

  public List<AndroidVariant> all() {
    return variants;
  }

  /** The name that the build or the command line asks for; null: the only one. */
  public String wanted() {
    return settings.text("variant", extension.getVariant());
  }

  /**
   * The variant that is meant: the wanted one, or the only one, since a name may be meant for another module of the build;
   * null where there is none or the user has to choose.
   */
  public AndroidVariant chosen() {
    for (AndroidVariant variant : variants) {
      if (variant.name().equals(wanted())) {
        return variant;
      }
    }
    return variants.size() == 1 ? variants.get(0) : null;
  }

  /** What the one variant that is meant needs; nothing where there is none or the user has to choose. */
  public List<String> tasks() {
    AndroidVariant chosen = chosen();
    return chosen == null ? Collections.emptyList() : Collections.singletonList(chosen.bundleTask());
  }

  /**
   * The bundle of the variant that is meant; a file that does not exist where nothing has tests. Throws GradleException
   * where the user has to choose, or the module's own block names a variant that it has not.
   */
  public File bundle() {
    if (variants.isEmpty()) {
      return module.folder("none");
    }
    AndroidVariant chosen = chosen();
    String own = extension.getVariant();
    if (chosen == null || own != null && own.equals(wanted()) && !own.equals(chosen.name())) {
      String names = variants.stream().map(AndroidVariant::name).collect(Collectors.joining(", "));
      String problem = wanted() == null ? "has several variants" : "has no variant '" + wanted() + "' with tests";
      throw new GradleException(
          "navitas: " + project.getPath() + " " + problem + ": choose one of " + names + " by navitas { variant '"
              + variants.get(0).name() + "' } or -Pnavitas.variant=" + variants.get(0).name());
    }
    return chosen.bundle();
  }
}
