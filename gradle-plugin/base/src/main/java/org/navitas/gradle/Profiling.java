package org.navitas.gradle;

import java.io.File;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.gradle.api.Project;

/** How {@code navitasProfile} calls the command line. Refers to nothing of the build, so that Gradle can store it. */
final class Profiling implements Serializable {
    private static final long serialVersionUID = 1;

    final String executable;
    final File workingDir;
    final File json;
    final File recording;
    final File exitCode;
    final boolean ignoreFailures;
    private final ArrayList<String> arguments = new ArrayList<>();

    Profiling(Project project, NavitasExtension extension, File folder) {
        Settings settings = new Settings(project);
        Object named = settings.text("executable", extension.getExecutable());
        boolean isPath =
                extension.getExecutable() instanceof File || named.toString().indexOf(File.separatorChar) >= 0;
        executable = isPath ? project.file(named).getPath() : named.toString();
        workingDir = project.getProjectDir();
        json = settings.file(
                "json", extension.getJson() != null ? extension.getJson() : new File(folder, "report.json"));
        recording = settings.file(
                "output", extension.getOutput() != null ? extension.getOutput() : new File(folder, "recording"));
        exitCode = new File(folder, "exit-code.txt");
        ignoreFailures = settings.flag("ignoreFailures", extension.isIgnoreFailures());
        for (String pattern : settings.list("tests", extension.getTests())) {
            arguments.addAll(Arrays.asList("--tests", pattern));
        }
        option("--repeat", settings.text("repeat", extension.getRepeat()));
        option("--phone", settings.text("phone", extension.getPhone()));
        option("--device", settings.text("device", extension.getDevice()));
        option("--mode", settings.text("mode", extension.getMode()));
        arguments.addAll(settings.list("arguments", extension.getArguments()));
    }

    private void option(String name, String value) {
        if (value != null) {
            arguments.addAll(Arrays.asList(name, value));
        }
    }

    /** Returns the complete command for a bundle. */
    List<String> command(File program, File bundle) {
        List<String> command = new ArrayList<>();
        command.addAll(Arrays.asList(program.getPath(), "profile", "--bundle", bundle.getPath(), "--end-with-stdin"));
        command.addAll(Arrays.asList("--source", workingDir.getPath()));
        command.addAll(Arrays.asList("--output", recording.getPath(), "--replace", "--json", json.getPath()));
        command.addAll(arguments);
        return command;
    }
}
