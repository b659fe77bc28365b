package org.gradle.launcher;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.gradle.api.logging.LogLevel;
import org.gradle.internal.classpath.ClassPath;
import org.gradle.internal.concurrent.CompositeStoppable;
import org.gradle.internal.logging.LoggingManagerInternal;
import org.gradle.internal.logging.services.LoggingServiceRegistry;
import org.gradle.internal.nativeintegration.ProcessEnvironment;
import org.gradle.internal.nativeintegration.services.NativeServices;
import org.gradle.internal.serialize.kryo.KryoBackedDecoder;
import org.gradle.internal.service.ServiceRegistry;
import org.gradle.internal.stream.EncodedStream;
import org.gradle.launcher.daemon.bootstrap.DaemonStartupCommunication;
import org.gradle.launcher.daemon.configuration.DaemonPriority;
import org.gradle.launcher.daemon.configuration.DefaultDaemonServerConfiguration;
import org.gradle.launcher.daemon.context.DaemonContext;
import org.gradle.launcher.daemon.server.Daemon;
import org.gradle.launcher.daemon.server.DaemonLogFile;
import org.gradle.launcher.daemon.server.DaemonProcessState;
import org.gradle.launcher.daemon.server.MasterExpirationStrategy;

/** A daemon of Gradle 8.11.1: reads what its client wrote (DefaultDaemonStarter), and serves builds until it expires. */
public class DaemonProcess {
    public void run(String[] arguments) throws Exception {
        KryoBackedDecoder input = new KryoBackedDecoder(new EncodedStream.EncodedInput(System.in));
        File userHome = new File(input.readString());
        File registry = new File(input.readString());
        int idleTimeoutMs = input.readSmallInt();
        int checkIntervalMs = input.readSmallInt();
        boolean isSingleUse = input.readBoolean();
        NativeServices.NativeServicesMode mode = NativeServices.NativeServicesMode.values()[input.readSmallInt()];
        String id = input.readString();
        DaemonPriority priority = DaemonPriority.values()[input.readSmallInt()];
        List<String> options = new ArrayList<>();
        for (int left = input.readSmallInt(); left > 0; left--) {
            options.add(input.readString());
        }

        NativeServices.initializeOnDaemon(userHome, mode);
        ServiceRegistry logging = LoggingServiceRegistry.newCommandLineProcessLogging();
        LoggingManagerInternal console = logging.newInstance(LoggingManagerInternal.class);
        DaemonProcessState state = new DaemonProcessState(
                new DefaultDaemonServerConfiguration(
                        id, registry, idleTimeoutMs, checkIntervalMs, isSingleUse, priority, options, false, mode),
                logging,
                console,
                ClassPath.EMPTY);
        ServiceRegistry services = state.getServices();
        Daemon daemon = services.get(Daemon.class);
        PrintStream client = System.out;
        PrintStream clientErrors = System.err;
        File file = services.get(DaemonLogFile.class).getFile();
        Files.createDirectories(file.toPath().getParent());
        PrintStream log = new PrintStream(Files.newOutputStream(file.toPath()), true, "UTF-8");
        System.setOut(log);
        System.setErr(log);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        console.attachSystemOutAndErr();
        console.setLevelInternal(LogLevel.LIFECYCLE);
        console.start();
        services.get(ProcessEnvironment.class).maybeDetachProcess();
        daemon.start();
        try {
            Long pid = services.get(DaemonContext.class).getPid();
            new DaemonStartupCommunication()
                    .printDaemonStarted(client, pid, daemon.getUid(), daemon.getAddress(), file);
            client.close();
            clientErrors.close();
            state.stopped(daemon.stopOnExpiration(services.get(MasterExpirationStrategy.class), checkIntervalMs));
        } finally {
            CompositeStoppable.stoppable(daemon, state).stop();
        }
    }
}
