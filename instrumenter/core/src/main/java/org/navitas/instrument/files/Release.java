package org.navitas.instrument.files;

import java.io.IOException;
import java.io.InputStream;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The Java release that a class of a jar is for (JAR File Specification, "Multi-release JAR files"). A JVM takes the class for the
 * highest release that is not newer than itself. Other programs, such as Android's, take the class for any release.
 */
public final class Release {
    /** The release of a class outside of {@code META-INF/versions}. */
    public static final int ANY = 0;
    /** No JVM loads the class by its name. */
    public static final int NONE = -1;

    private static final Pattern FOLDER = Pattern.compile("^META-INF/versions/([0-9]{1,9})/");
    private static final int FIRST = 9;
    private static final Attributes.Name MULTI_RELEASE = new Attributes.Name("Multi-Release");

    private Release() {}

    /** Returns the release of a class by its path, which begins in a folder or in a jar. */
    public static int of(String path, boolean isMultiRelease) {
        Matcher folder = FOLDER.matcher(path);
        if (!folder.find()) {
            return ANY;
        }
        int release = Integer.parseInt(folder.group(1));
        return isMultiRelease && release >= FIRST ? release : NONE;
    }

    /** Returns the name of the class that a file should contain, for any release. */
    public static String className(String path) {
        String name = FOLDER.matcher(path).replaceFirst("");
        return name.substring(0, name.length() - ".class".length()).replace('/', '.');
    }

    /** Returns whether a jar's manifest allows classes for releases. */
    public static boolean isIn(ZipFile jar) throws IOException {
        ZipEntry manifest = jar.getEntry(JarFile.MANIFEST_NAME);
        if (manifest == null) {
            return false;
        }
        try (InputStream in = jar.getInputStream(manifest)) {
            return "true".equalsIgnoreCase(new Manifest(in).getMainAttributes().getValue(MULTI_RELEASE));
        }
    }
}
