package org.navitas.android;

import android.app.Instrumentation;
import android.os.Bundle;
import android.os.ConditionVariable;
import android.os.Looper;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.navitas.phone.PhoneApplication;
import org.navitas.phone.android.shared.FrameworkTask;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.internal.AndroidTestEnvironment;
import org.robolectric.config.ConfigurationRegistry;
import org.robolectric.internal.ShadowProvider;
import org.robolectric.manifest.AndroidManifest;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.TestEnvironmentLifecyclePlugin;
import org.robolectric.pluginapi.config.ConfigurationStrategy.Configuration;
import org.robolectric.util.TempDirectory;

/** Sets up the app's process as on a phone: a separate main thread, the package's data folder, am's arguments. */
public class PhoneEnvironment extends AndroidTestEnvironment {
    public PhoneEnvironment(
            @javax.inject.Named("runtimeSdk") Sdk runtimeSdk,
            @javax.inject.Named("compileSdk") Sdk compileSdk,
            ShadowProvider[] shadowProviders,
            TestEnvironmentLifecyclePlugin[] plugins) {
        super(runtimeSdk, compileSdk, shadowProviders, plugins);
    }

    @Override
    public void setUpApplicationState(String folder, Configuration configuration, AndroidManifest manifest) {
        // Robolectric chooses a looper's shadow by this configuration. Set it, so that the main looper can be created
        // here: the main thread that Robolectric creates survives an exception that must end the process.
        ConfigurationRegistry.instance = new ConfigurationRegistry(configuration.map());
        startMainThread();
        Thread.currentThread().setName("Instr: " + System.getProperty("navitas.android.instrumentation"));
        super.setUpApplicationState(folder, configuration, manifest);
        PhoneInstrumentation.get().runOnMainSync(Preload::run);
        Hardware.install();
        PhoneApplication.set(RuntimeEnvironment.getApplication());
        PhoneChanges.start();
        if (!Boolean.getBoolean("navitas.app")) {
            AppSession.listen();
        }
        register(arguments());
    }

    private static void startMainThread() {
        ConditionVariable prepared = new ConditionVariable();
        Runnable loop = () -> {
            Looper.prepareMainLooper();
            prepared.open();
            Looper.loop();
        };
        new Thread(loop, "main").start();
        prepared.block();
    }

    @Override
    protected Instrumentation pickInstrumentation() {
        RuntimeEnvironment.setTempDirectory(new AppFolders());
        return new PhoneInstrumentation();
    }

    private static Bundle arguments() {
        Bundle bundle = new Bundle();
        List<String> pairs = FrameworkTask.arguments();
        for (int i = 0; i + 1 < pairs.size(); i += 2) {
            bundle.putString(pairs.get(i), pairs.get(i + 1));
        }
        return bundle;
    }

    /** Uses reflection: androidx.test's monitor is an AAR, which is not on the compile class path. */
    private static void register(Bundle arguments) {
        try {
            Class.forName("androidx.test.platform.app.InstrumentationRegistry")
                    .getMethod("registerInstance", Instrumentation.class, Bundle.class)
                    .invoke(null, PhoneInstrumentation.get(), arguments);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The app's data folder is the phone's {@code /data/data/PACKAGE}; Robolectric's other folders are temporary. */
    private static final class AppFolders extends TempDirectory {
        private static final String DATA = System.getProperty("navitas.process") + "-dataDir";

        @Override
        public Path createIfNotExists(String name) {
            if (!name.equals(DATA)) {
                return super.createIfNotExists(name);
            }
            File data = new File(System.getProperty("navitas.android.data"));
            data.mkdirs();
            return data.toPath();
        }
    }
}
