package org.navitas.phone.android;

import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runners.model.FrameworkMethod;
import org.junit.runners.model.InitializationError;
import org.navitas.android.PhoneEnvironment;
import org.navitas.android.Session;
import org.navitas.phone.android.shared.FrameworkTask;
import org.navitas.phone.android.shared.RealTime;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.interceptors.AndroidInterceptors;
import org.robolectric.internal.AndroidSandbox.TestEnvironmentSpec;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.internal.bytecode.Interceptor;

/**
 * Starts Robolectric once for the process, with one Application, as a phone does. Robolectric sees one test only,
 * {@link Session}; everything runs within it.
 */
public final class Framework extends RobolectricTestRunner {
    /** Loaded once, by the JVM's class loader: recorder, log and listeners belong to the process. */
    private static final List<String> SHARED =
            List.of("org.navitas.runtime.", "org.navitas.junit.", "org.navitas.map.", "org.navitas.phone.");

    private Framework() throws InitializationError {
        super(
                Session.class,
                defaultInjector()
                        .bind(TestEnvironmentSpec.class, new TestEnvironmentSpec(PhoneEnvironment.class))
                        .build());
    }

    /**
     * Runs the task on the instrumentation thread with the framework's class loader. Throws what prevented the start.
     */
    static void run(List<String> keysAndValues, Consumer<ClassLoader> action) throws Exception {
        FrameworkTask.set(keysAndValues, action);
        RunNotifier notifier = new RunNotifier();
        Throwable[] failed = new Throwable[1];
        notifier.addListener(new RunListener() {
            @Override
            public void testFailure(Failure failure) {
                failed[0] = failure.getException();
            }
        });
        new Framework().run(notifier);
        if (!FrameworkTask.isDone()) {
            throw new IllegalStateException("Android's framework did not start" + remedy(failed[0]), failed[0]);
        }
    }

    /** Returns a remedy. A missing method or class indicates another version of a library, most likely the app's. */
    private static String remedy(Throwable error) {
        for (Throwable one = error; one != null; one = one.getCause() == one ? null : one.getCause()) {
            if (one instanceof LinkageError || one instanceof ClassCastException) {
                return " (the app or its tests seem to contain an incompatible version of a library: use another"
                        + " version)";
            }
        }
        return " (if the app starts on a phone, delete " + System.getProperty("robolectric.dependency.dir")
                + ": it is downloaded again)";
    }

    @Override
    protected Properties getBuildSystemApiProperties() {
        Properties app = new Properties();
        app.setProperty("android_merged_manifest", System.getProperty("navitas.android.manifest"));
        app.setProperty("android_resource_apk", System.getProperty("navitas.android.apk"));
        app.setProperty("android_custom_package", System.getProperty("navitas.process"));
        return app;
    }

    @Override
    protected InstrumentationConfiguration createClassLoaderConfig(FrameworkMethod method) {
        InstrumentationConfiguration.Builder config =
                new InstrumentationConfiguration.Builder(super.createClassLoaderConfig(method));
        SHARED.forEach(config::doNotAcquirePackage);
        RealTime.PLANNERS.forEach(config::addInstrumentedClass);
        return config.build();
    }

    @Override
    protected Collection<Interceptor> findInterceptors() {
        Stream<Interceptor> others = AndroidInterceptors.all().stream()
                .filter(one -> !(one instanceof AndroidInterceptors.SystemTimeInterceptor));
        return Stream.concat(others, Stream.of(new RealTime())).collect(Collectors.toList());
    }
}
