package org.navitas.hooks.intents;

import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.ZipFile;
import org.junit.runners.model.InitializationError;
import org.robolectric.RobolectricTestRunner;

/**
 * Runs tests on Robolectric's framework. Robolectric needs a library that is an AAR, which Maven does not put on the class
 * path: its classes are added to the property from which Robolectric reads the class path.
 */
public final class AndroidRunner extends RobolectricTestRunner {
    private static final String CLASS_PATH = "java.class.path";

    static {
        try (ZipFile aar = new ZipFile(System.getProperty("navitas.test.monitor"));
                InputStream classes = aar.getInputStream(aar.getEntry("classes.jar"))) {
            Path jar = Files.createTempFile("monitor", ".jar");
            jar.toFile().deleteOnExit();
            Files.copy(classes, jar, StandardCopyOption.REPLACE_EXISTING);
            System.setProperty(CLASS_PATH, System.getProperty(CLASS_PATH) + File.pathSeparator + jar);
        } catch (java.io.IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public AndroidRunner(Class<?> tests) throws InitializationError {
        super(tests);
    }
}
