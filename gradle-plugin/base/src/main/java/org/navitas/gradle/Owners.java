package org.navitas.gradle;

import java.io.File;
import java.util.HashMap;
import java.util.Map;

/** Finds the project that a class path file belongs to, if it is code of the user's projects. */
final class Owners {
    private static final String TEST_FOLDER = "(.*[^A-Za-z])?tests?([^a-z].*)?|.*[a-z]Tests?([^a-z].*)?";
    private static final String TEST_JAR = ".*-(tests?|test-fixtures|test-?classes)\\.jar";

    private final Map<File, String> artifacts = new HashMap<>();
    private final Map<String, String> buildFolders;
    private final String module;

    /**
     * Creates an index.
     *
     * @param artifacts jars and folders that projects build for others, with the projects' paths
     * @param buildFolders paths of projects by their build folders
     * @param module path of the module with this class path
     */
    Owners(Map<File, String> artifacts, Map<String, String> buildFolders, String module) {
        this.artifacts.putAll(artifacts);
        this.buildFolders = buildFolders;
        this.module = module;
    }

    /**
     * Returns the path of the project that builds a file, or null for a library. Recognises outputs that a build file
     * names directly, such as {@code project(':lib').sourceSets.test.output} or another project's {@code
     * build/libs/lib.jar}, by their location. Any other folder belongs to the module.
     */
    String of(File file) {
        String maker = artifacts.get(file);
        if (maker != null) {
            return maker;
        }
        for (File folder = file.getParentFile(); folder != null; folder = folder.getParentFile()) {
            String project = buildFolders.get(folder.getPath());
            if (project != null && (file.isDirectory() || file.getParentFile().equals(new File(folder, "libs")))) {
                return project;
            }
        }
        return file.isDirectory() ? module : null;
    }

    /**
     * Returns whether a project's file contains test code, by Gradle's naming: {@code classes/java/test} or {@code
     * lib-tests.jar}.
     */
    static boolean isTestCode(File file) {
        return file.getName().matches(file.isDirectory() ? TEST_FOLDER : TEST_JAR);
    }
}
