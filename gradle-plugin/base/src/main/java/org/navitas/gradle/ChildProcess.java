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
 * A run of the command line that does not outlive Gradle's build. When the build is cancelled it is asked to end, and it
 * ends by itself when its standard input does, which this JVM holds open: however the JVM ends, nothing is left running.
 */
final class ChildProcess {
  private static final long STOP_S = 8; // A daemon that is told to cancel a build is killed after ten seconds.
  private static final long LOOK_UP_MS = 500;
  private static final int INTERRUPTED = 130;

  private final ProcessBuilder builder;
  private final BlockingQueue<Runnable> lines = new LinkedBlockingQueue<>();

  ChildProcess(List<String> command, File workingDir) {
    builder = new ProcessBuilder(command).directory(workingDir);
    builder.environment().put("PYTHONIOENCODING", "utf-8");
  }

  /** Runs it to its end and returns its exit code; hands each line to its taker on this thread, as it comes. */
  int run(Consumer<String> out, Consumer<String> err) throws IOException {
    Process process = builder.start();
    try {
      Thread[] readers = {read(process.getInputStream(), out), read(process.getErrorStream(), err)};
      while (readers[0].isAlive() || readers[1].isAlive() || !lines.isEmpty()) {
        Runnable line = lines.poll(LOOK_UP_MS, TimeUnit.MILLISECONDS);
        if (line != null) {
          line.run();
        } else if (!process.isAlive()) {
          break; // What it left behind may hold its outputs open.
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
    Thread thread =
        new Thread(
            () -> {
              try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                  String text = line;
                  lines.add(() -> taker.accept(text));
                }
              } catch (IOException e) {
                // The process was ended while it wrote.
              }
            },
            "navitas-output");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Asks a process that still runs to end, by SIGTERM where there is such a thing; kills it when it does not. */
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
