package org.navitas.gradle.android;

import java.io.File;
import java.lang.ref.SoftReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.gradle.api.GradleException;
import org.navitas.instrument.ClassIds;
import org.navitas.instrument.InstrumentException;

/** The ids of a file, kept while it does not change: Android asks for them with each class. Immutable. */
public final class KnownIds {
  private static final Map<File, KnownIds> FILES = new ConcurrentHashMap<>();

  private final long length;
  private final long modified;
  private final SoftReference<ClassIds> ids;

  private KnownIds(File file, ClassIds ids) {
    this.length = file.length();
    this.modified = file.lastModified();
    this.ids = new SoftReference<>(ids);
  }

  /**
   * Returns the ids of a file.
   *
   * @param file a file of {@link ClassIds}
   * @return its content
   * @throws GradleException if it cannot be read
   */
  public static ClassIds of(File file) {
    KnownIds known = FILES.get(file);
    boolean isCurrent = known != null && known.length == file.length() && known.modified == file.lastModified();
    ClassIds ids = isCurrent ? known.ids.get() : null;
    if (ids == null) {
      try {
        ids = ClassIds.read(file.toPath());
      } catch (InstrumentException e) {
        throw new GradleException("navitas: " + e.getMessage(), e);
      }
      FILES.put(file, new KnownIds(file, ids));
    }
    return ids;
  }

  /**
   * Writes the ids of a method map, unless the file has them already.
   *
   * @param map the method map
   * @param file the file to write
   * @throws GradleException if one of them cannot be read or written
   */
  public static void save(File map, File file) {
    try {
      ClassIds.save(map.toPath(), file.toPath());
    } catch (InstrumentException e) {
      throw new GradleException("navitas: " + e.getMessage(), e);
    }
  }
}
