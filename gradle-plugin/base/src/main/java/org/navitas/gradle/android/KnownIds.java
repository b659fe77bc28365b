package org.navitas.gradle.android;

import java.io.File;
import java.lang.ref.SoftReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.gradle.api.GradleException;
import org.navitas.instrument.classes.ClassIds;
import org.navitas.instrument.files.InstrumentException;

/** The ids of a file, kept while it does not change: Android asks for them with each class, in several threads. */
public final class KnownIds {
    private static final Map<File, KnownIds> FILES = new ConcurrentHashMap<>();

    private final long length;
    private final long modified;
    private final SoftReference<ClassIds> ids;

    private KnownIds(long length, long modified, ClassIds ids) {
        this.length = length;
        this.modified = modified;
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
        ClassIds[] ids = new ClassIds[1];
        FILES.compute(file, (key, known) -> {
            long length = file.length(); // before the file is read: it can be replaced meanwhile
            long modified = file.lastModified();
            if (known != null && known.length == length && known.modified == modified) {
                ids[0] = known.ids.get();
            }
            if (ids[0] != null) {
                return known;
            }
            ids[0] = read(file);
            return new KnownIds(length, modified, ids[0]);
        });
        return ids[0];
    }

    private static ClassIds read(File file) {
        try {
            return ClassIds.read(file.toPath());
        } catch (InstrumentException e) {
            throw new GradleException("navitas: " + e.getMessage(), e);
        }
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
