package org.navitas.gradle;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.gradle.api.GradleException;

/**
 * Runs the command line as a child process that does not outlive the Gradle build. If the build is cancelled, the
 * process is terminated. It also ends when its standard input does, which this JVM holds open, so no process remains
 * however the JVM ends.
 */
final class ChildProcess {
    private static final long STOP_S = 8; // Gradle kills a daemon ten seconds after it cancels a build.
    private static final long LOOK_UP_MS = 500;
    private static final int INTERRUPTED = 130;

    private final ProcessBuilder builder;
    private final BlockingQueue<Runnable> lines = new LinkedBlockingQueue<>();

    ChildProcess(List<String> command, File workingDir) {
        builder = new ProcessBuilder(command).directory(workingDir);
        builder.environment().put("PYTHONIOENCODING", "utf-8");
    }

    /**
     * Runs the process to its end and returns its exit code. Passes each line of output to its consumer, on this thread.
     */
    int run(Consumer<String> out, Consumer<String> err) throws IOException {
        Process process = builder.start();
        try {
            Thread[] readers = {read(process.getInputStream(), out), read(process.getErrorStream(), err)};
            while (readers[0].isAlive() || readers[1].isAlive() || !lines.isEmpty()) {
                Runnable line = lines.poll(LOOK_UP_MS, TimeUnit.MILLISECONDS);
                if (line != null) {
                    line.run();
                } else if (!process.isAlive()) {
                    break; // Processes that it started can hold its outputs open.
                }
            }
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GradleException("navitas: interrupted (exit code " + INTERRUPTED + ")", e);
        } finally {
            end(process);
        }
    }

    private Thread read(InputStream stream, Consumer<String> taker) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader reader =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                            String text = line;
                            lines.add(() -> taker.accept(text));
                        }
                    } catch (IOException e) {
                        // The process ended while it wrote.
                    }
                },
                "navitas-output");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Terminates a running process, by SIGTERM if possible; kills it if it does not end. */
    private static void end(Process process) {
        process.destroy();
        boolean interrupted = Thread.interrupted();
        try {
            if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
