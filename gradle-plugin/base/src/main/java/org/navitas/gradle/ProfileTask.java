package org.navitas.gradle;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;

/**
 * Profiles or checks a module with the command line {@code navitas}, within the user's build. Never up to date. A
 * module without tests has no bundle; the task then passes with a warning, as Gradle's {@code test} does.
 *
 * <p>Writes the command line's exit code to a file, by default {@code build/navitas/exit-code.txt}. A code other than 0
 * fails the task.
 */
public class ProfileTask extends DefaultTask {
    /**
     * One lock for all class loaders of the JVM, since concurrent profiling of several modules would distort the results.
     */
    private static final Object ONE_AT_A_TIME = "org.navitas.gradle.ProfileTask".intern();

    private static final int CHECK_FAILED = 1;
    private static final int USAGE = 2;
    private static final int TESTS_FAILED = 3;
    private static final int SHOWN_LINES = 20;

    private Provider<File> bundle;
    private Provider<String> refusal;
    private Provider<Profiling> profiling;
    private String module;
    private String sources;

    /**
     * @param refusal why nothing can be profiled, as the end of a sentence about the module; empty to profile it
     * @param sources where such a module usually has its tests
     * @param producer returns what makes the bundle
     */
    void settings(
            Provider<File> bundle,
            Provider<String> refusal,
            String sources,
            Provider<Profiling> profiling,
            Callable<?> producer) {
        setGroup("Navitas");
        this.bundle = bundle;
        this.refusal = refusal;
        this.module = getProject().getPath();
        this.sources = sources;
        this.profiling = profiling;
        getOutputs().upToDateWhen(task -> false);
        // Gradle asks only for what requested tasks depend on, before it runs any.
        dependsOn((Callable<?>) () -> {
            profiling.get().check();
            return producer.call();
        });
    }

    /**
     * Returns the bundle that {@link BundleTask} wrote.
     *
     * @return one file; empty for a module without tests
     */
    @InputFiles
    public List<File> getBundle() {
        return Arrays.asList(bundle.get());
    }

    /**
     * Returns the JSON report.
     *
     * @return the file to write
     */
    @OutputFile
    public File getJson() {
        return profiling.get().json;
    }

    /**
     * Returns the file with the command line's exit code.
     *
     * @return the file to write
     */
    @OutputFile
    public File getExitCode() {
        return profiling.get().exitCode;
    }

    /**
     * Profiles the bundle.
     *
     * @throws IOException if the process cannot be started or a file cannot be written
     */
    @TaskAction
    public void profile() throws IOException {
        Profiling settings = profiling.get();
        for (File old : Arrays.asList(settings.json, settings.exitCode)) {
            Files.deleteIfExists(old.toPath());
        }
        if (!refusal.get().isEmpty()) {
            throw new GradleException("navitas: " + module + " " + refusal.get());
        }
        if (!bundle.get().exists()) {
            getLogger().warn("navitas: {} has no tests to profile: add JUnit tests under {}", module, sources);
            setDidWork(false);
            return;
        }
        List<String> output = new ArrayList<>();
        int exitCode;
        synchronized (ONE_AT_A_TIME) {
            File program = Programs.find(settings.executable);
            ChildProcess process = new ChildProcess(settings.command(program, bundle.get()), settings.workingDir);
            exitCode = process.run(System.out::println, line -> {
                output.add(line);
                getLogger().lifecycle(line);
            });
        }
        Files.write(settings.exitCode.toPath(), (exitCode + "\n").getBytes(StandardCharsets.UTF_8));
        if (exitCode != 0) {
            fail(settings, exitCode, output);
        }
    }

    private void fail(Profiling settings, int exitCode, List<String> output) {
        boolean reported = exitCode == TESTS_FAILED || exitCode == CHECK_FAILED;
        String result = exitCode == TESTS_FAILED
                ? "tests failed"
                : exitCode == CHECK_FAILED
                        ? "a check failed"
                        : exitCode == USAGE ? "wrong settings" : "profiling failed";
        String message = "navitas: " + result + " (exit code " + exitCode + ")" + reasons(output);
        if (reported) {
            message += "\nReport: " + settings.json;
        }
        if (reported && settings.ignoreFailures) {
            getLogger().warn(message);
        } else {
            throw new GradleException(message);
        }
    }

    /** Returns the output about failures: the lines from the first failure on. */
    private static String reasons(List<String> output) {
        StringBuilder reasons = new StringBuilder();
        int failures = 0;
        for (String line : output) {
            if (failures > 0 || line.startsWith("error: ") || line.startsWith("FAILED ")) {
                failures++;
            }
            if (failures > 0 && failures <= SHOWN_LINES) {
                reasons.append("\n  ").append(line);
            }
        }
        if (failures > SHOWN_LINES) {
            reasons.append("\n  ").append(failures - SHOWN_LINES).append(" more lines are in the output above");
        }
        return reasons.toString();
    }
}
