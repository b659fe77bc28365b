package org.navitas.gradle.builds;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A finished build. It runs the launcher of an installation: Gradle's TestKit needs a distribution of gradle.org, and those
 * of Debian and of {@code make gradle-homes} lack its tooling API.
 */
final class GradleBuild {
    private static final Pattern TASK =
            Pattern.compile("(?m)^(?:> Task )?(:[\\w:]+)(?: (UP-TO-DATE|FROM-CACHE|SKIPPED|NO-SOURCE|FAILED))?$");
    private static final String DONE = "SUCCESS";
    private static final int LIMIT_MINUTES = 5;
    /** Builds of tests end before the second JIT compiler pays off. */
    private static final String QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto";
    /** Gradle 4.4 reads private fields of Java's classes. */
    private static final String OPENED =
            " --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED";

    final boolean succeeded;
    final String output;
    /** Outcomes by task path; {@code SUCCESS} for a task that did its work. */
    final Map<String, String> tasks = new LinkedHashMap<>();

    private GradleBuild(boolean succeeded, String output) {
        this.succeeded = succeeded;
        this.output = output;
        Matcher lines = TASK.matcher(output);
        while (lines.find()) {
            String outcome = lines.group(2) == null ? DONE : lines.group(2);
            if (!outcome.equals(DONE) || !tasks.containsKey(lines.group(1))) {
                tasks.put(lines.group(1), outcome); // A task that prints something has several lines.
            }
        }
    }

    /** Runs a build with daemons of the tests' own, which end soon after the last build. */
    static GradleBuild run(File launcher, File project, File daemons, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Arrays.asList(
                launcher.getPath(),
                "--console=plain",
                "--offline",
                "-Dorg.gradle.daemon.registry.base=" + daemons,
                "-Dorg.gradle.daemon.idletimeout=20000",
                "-Dorg.gradle.jvmargs=" + QUICK_JVM + OPENED));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(project).redirectErrorStream(true);
        builder.environment().put("GRADLE_OPTS", QUICK_JVM);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = text(process.getInputStream());
        if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException("the build does not end: " + output);
        }
        return new GradleBuild(process.exitValue() == 0, output);
    }

    private static String text(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            bytes.write(buffer, 0, count);
        }
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }
}
