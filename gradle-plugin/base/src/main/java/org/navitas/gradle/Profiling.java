package org.navitas.gradle;

import java.io.File;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.gradle.api.GradleException;
import org.gradle.api.Project;

/**
 * How {@code navitasProfile} and {@code navitasCheck} call the command line. Refers to nothing of the build, so that
 * Gradle can store it.
 */
final class Profiling implements Serializable {
    private static final long serialVersionUID = 1;
    private static final String AGAINST = "--against";

    final String executable;
    final File workingDir;
    final File json;
    final File exitCode;
    final boolean ignoreFailures;
    private final boolean checks;
    private final File recording;
    private final File source;
    private final String against;
    private final boolean edited;
    private final ArrayList<String> build = new ArrayList<>();
    private final ArrayList<String> arguments = new ArrayList<>();
    private final ArrayList<String> given;

    /**
     * Reads the settings.
     *
     * @param checks call {@code navitas check} with what {@code navitas profile} has recorded, rather than the latter
     */
    Profiling(Project project, NavitasExtension extension, File folder, boolean checks) {
        Settings settings = new Settings(project);
        Object named = settings.text("executable", extension.getExecutable());
        boolean isPath =
                extension.getExecutable() instanceof File || named.toString().indexOf(File.separatorChar) >= 0;
        executable = isPath ? project.file(named).getPath() : named.toString();
        workingDir = project.getProjectDir();
        this.checks = checks;
        against = settings.text("against", extension.getAgainst());
        edited = settings.file(Settings.BLOCK_EDITS) != null;
        json = checks
                ? new File(folder, "check.json")
                : settings.file(
                        "json", extension.getJson() != null ? extension.getJson() : new File(folder, "report.json"));
        recording = settings.file(
                "output",
                extension.getOutput() != null
                        ? extension.getOutput()
                        : new File(folder, against == null ? "recording" : "against"));
        exitCode = new File(folder, checks ? "check-exit-code.txt" : "exit-code.txt");
        ignoreFailures = settings.flag("ignoreFailures", extension.isIgnoreFailures());
        options(arguments, "--tests", settings.list("tests", extension.getTests()));
        option(arguments, "--repeat", settings.text("repeat", extension.getRepeat()));
        option(arguments, "--phone", settings.text("phone", extension.getPhone()));
        option(arguments, "--device", settings.text("device", extension.getDevice()));
        option(arguments, "--mode", settings.text("mode", extension.getMode()));
        given = new ArrayList<>(settings.list("arguments", extension.getArguments()));
        arguments.addAll(given);
        source = against == null ? workingDir : project.getRootDir();
        if (against != null) {
            addBuild(project, settings, extension);
        }
    }

    /** Adds the options with which the command line builds the other version of this module as this build does. */
    private void addBuild(Project project, Settings settings, NavitasExtension extension) {
        build.addAll(Arrays.asList(AGAINST, against, "--module", project.getPath()));
        File gradle = project.getGradle().getGradleHomeDir();
        option(build, "--gradle", gradle == null ? null : gradle.getPath());
        option(build, "--variant", settings.text("variant", extension.getVariant()));
        option(build, "--test-task", settings.text("testTask", null));
        options(build, "--include", settings.list("include", extension.getIncludes()));
        options(build, "--exclude", settings.list("exclude", extension.getExcludes()));
        flag(build, "--no-test-probes", !settings.flag("instrumentTests", extension.isInstrumentTests()));
        flag(build, "--skip-trivial", settings.flag("skipTrivial", extension.isSkipTrivial()));
        boolean hookLibraries = settings.flag("hookLibraries", extension.isHookLibraries());
        flag(build, "--hook-libraries", hookLibraries && named("--record") != null);
    }

    private static void options(List<String> command, String name, List<String> values) {
        values.forEach(value -> option(command, name, value));
    }

    private static void option(List<String> command, String name, String value) {
        if (value != null) {
            command.addAll(Arrays.asList(name, value));
        }
    }

    private static void flag(List<String> command, String name, boolean wanted) {
        if (wanted) {
            command.add(name);
        }
    }

    /**
     * Checks settings that cannot work together. Call it before anything is built.
     *
     * @throws GradleException that names both settings
     */
    void check() {
        if (named(AGAINST) != null) {
            throw conflict("`arguments` has --against, which `against` adds", "set navitas.against instead");
        }
        String bundle = named("--bundle", "--source");
        if (against != null && bundle != null) {
            throw conflict("`against` builds a revision of the project, and `arguments` has " + bundle, "remove one");
        }
        if (against != null && edited) {
            throw conflict("`against` builds two versions, and `blockEdits` names blocks of one", "remove one");
        }
        String comparing = named("--figure", "--fail-above", "--fail-on");
        if (against == null && comparing != null) {
            throw conflict(
                    "`arguments` has " + comparing + ", which compares with another version, and `against` names none",
                    "add -Pnavitas.against=REVISION, or navitas { against = 'REVISION' }");
        }
    }

    private static GradleException conflict(String problem, String remedy) {
        return new GradleException("navitas: " + problem + ": " + remedy);
    }

    /** Returns the first of these options that {@code arguments} has; null if it has none. */
    private String named(String... names) {
        return given.stream()
                .map(argument -> argument.split("=", 2)[0])
                .filter(Arrays.asList(names)::contains)
                .findFirst()
                .orElse(null);
    }

    /** Returns the complete command for the module with this bundle. */
    List<String> command(File program, File bundle) {
        List<String> command = new ArrayList<>(Arrays.asList(program.getPath(), checks ? "check" : "profile"));
        if (!checks) {
            command.addAll(Arrays.asList("--bundle", bundle.getPath(), "--source", source.getPath()));
            command.addAll(build);
            command.addAll(Arrays.asList("--end-with-stdin", "--output", recording.getPath(), "--replace"));
        } else if (against == null) {
            command.add(recording.getPath());
        } else {
            command.add(new File(recording, "after").getPath());
            command.addAll(Arrays.asList("--before", new File(recording, "before").getPath()));
        }
        command.addAll(Arrays.asList("--json", json.getPath()));
        command.addAll(checks ? Collections.emptyList() : arguments);
        return command;
    }
}
