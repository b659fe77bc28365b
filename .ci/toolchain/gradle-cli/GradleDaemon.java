package org.gradle.launcher.daemon.bootstrap;

import org.gradle.launcher.bootstrap.ProcessBootstrap;

/** Where Gradle's client starts a daemon: the module gradle-daemon-main, which gradle-api lacks. */
public class GradleDaemon {
    public static void main(String[] arguments) {
        ProcessBootstrap.run(
                GradleDaemon.class.getName(), "gradle-gradle-cli", "org.gradle.launcher.DaemonProcess", arguments);
    }
}
