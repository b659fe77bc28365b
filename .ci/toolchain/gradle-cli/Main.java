package org.gradle.launcher;

import java.io.File;
import org.gradle.api.internal.StartParameterInternal;
import org.gradle.api.internal.file.FileCollectionFactory;
import org.gradle.cli.CommandLineArgumentException;
import org.gradle.cli.CommandLineParser;
import org.gradle.cli.ParsedCommandLine;
import org.gradle.configuration.GradleLauncherMetaData;
import org.gradle.initialization.DefaultBuildCancellationToken;
import org.gradle.initialization.NoOpBuildEventConsumer;
import org.gradle.initialization.layout.BuildLayoutFactory;
import org.gradle.internal.classpath.ClassPath;
import org.gradle.internal.concurrent.CompositeStoppable;
import org.gradle.internal.daemon.client.execution.ClientBuildRequestContext;
import org.gradle.internal.logging.LoggingManagerInternal;
import org.gradle.internal.logging.services.LoggingServiceRegistry;
import org.gradle.internal.nativeintegration.services.NativeServices;
import org.gradle.internal.service.ServiceRegistry;
import org.gradle.internal.service.ServiceRegistryBuilder;
import org.gradle.internal.service.scopes.BasicGlobalScopeServices;
import org.gradle.internal.service.scopes.Scope;
import org.gradle.launcher.cli.BuildEnvironmentConfigurationConverter;
import org.gradle.launcher.cli.Parameters;
import org.gradle.launcher.daemon.client.DaemonClient;
import org.gradle.launcher.daemon.client.DaemonClientFactory;
import org.gradle.launcher.daemon.client.DaemonClientGlobalServices;
import org.gradle.launcher.daemon.client.DaemonStopClient;
import org.gradle.launcher.daemon.configuration.DaemonParameters;
import org.gradle.launcher.exec.BuildActionResult;
import org.gradle.launcher.exec.DefaultBuildActionParameters;
import org.gradle.tooling.internal.provider.action.ExecuteBuildAction;
import org.gradle.util.GradleVersion;

/** Gradle 8.11.1's command line: the module gradle-gradle-cli, which gradle-api lacks. A daemon runs the builds. */
public class Main {
    public void run(String[] arguments) {
        int code = 1;
        try {
            code = execute(arguments);
        } catch (CommandLineArgumentException e) {
            System.err.println(e.getMessage());
        } catch (Throwable e) {
            e.printStackTrace();
        }
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(code);
    }

    private static int execute(String[] arguments) throws Exception {
        long start = System.currentTimeMillis();
        NativeServices.initializeOnClient(
                userHome(arguments), NativeServices.NativeServicesMode.fromSystemProperties());
        ServiceRegistry logging = LoggingServiceRegistry.newCommandLineProcessLogging();
        ServiceRegistry basic = ServiceRegistryBuilder.builder()
                .displayName("basic")
                .scope(Scope.Global.class)
                .parent(logging)
                .parent(NativeServices.getInstance())
                .provider(new BasicGlobalScopeServices())
                .build();
        BuildEnvironmentConfigurationConverter converter = new BuildEnvironmentConfigurationConverter(
                new BuildLayoutFactory(), basic.get(FileCollectionFactory.class));
        CommandLineParser parser = new CommandLineParser();
        converter.configure(parser);
        parser.option("v", "version");
        parser.option("h", "?", "help");
        parser.allowMixedSubcommandsAndOptions();
        ParsedCommandLine line = parser.parse(arguments);
        if (line.hasOption("version")) {
            System.out.println("Gradle " + GradleVersion.current().getVersion());
            return 0;
        }
        if (line.hasOption("help")) {
            parser.printUsage(System.out);
            return 0;
        }
        File folder = new File(".").getCanonicalFile();
        Parameters parameters = converter.convertParameters(line, folder);
        DaemonParameters daemon =
                parameters.getDaemonParameters().setApplyInstrumentationAgent(false); // gradle-api has none
        ServiceRegistry shared = ServiceRegistryBuilder.builder()
                .displayName("client")
                .scope(Scope.Global.class)
                .parent(NativeServices.getInstance())
                .parent(basic)
                .provider(new DaemonClientGlobalServices())
                .build();
        DaemonClientFactory clients = shared.get(DaemonClientFactory.class);
        StartParameterInternal build = parameters.getStartParameter();
        LoggingManagerInternal console =
                logging.getFactory(LoggingManagerInternal.class).create();
        console.setLevelInternal(build.getLogLevel());
        console.start();
        console.attachProcessConsole(build.getConsoleOutput());
        CompositeStoppable connection = new CompositeStoppable();
        try {
            if (daemon.isStop()) {
                clients.createMessageDaemonServices(logging, daemon)
                        .get(DaemonStopClient.class)
                        .stop();
                return 0;
            }
            ServiceRegistry services = daemon.isEnabled()
                    ? clients.createBuildClientServices(logging, daemon, daemon.toRequestContext(), System.in)
                    : clients.createSingleUseDaemonClientServices(
                            logging, daemon, daemon.toRequestContext(), System.in);
            connection.add(services);
            BuildActionResult result = services.get(DaemonClient.class)
                    .execute(
                            new ExecuteBuildAction(build),
                            new DefaultBuildActionParameters(
                                    daemon.getEffectiveSystemProperties(),
                                    daemon.getEnvironmentVariables(),
                                    folder,
                                    build.getLogLevel(),
                                    daemon.isEnabled(),
                                    ClassPath.EMPTY),
                            new ClientBuildRequestContext(
                                    new GradleLauncherMetaData(),
                                    start,
                                    false,
                                    new DefaultBuildCancellationToken(),
                                    new NoOpBuildEventConsumer()));
            return result.hasFailure() ? 1 : 0;
        } finally {
            connection.add(shared, console).stop();
        }
    }

    private static File userHome(String[] arguments) {
        String home = System.getProperty("gradle.user.home", System.getenv("GRADLE_USER_HOME"));
        for (int i = 0; i + 1 < arguments.length; i++) {
            home = arguments[i].equals("-g") || arguments[i].equals("--gradle-user-home") ? arguments[i + 1] : home;
        }
        return home != null ? new File(home).getAbsoluteFile() : new File(System.getProperty("user.home"), ".gradle");
    }
}
