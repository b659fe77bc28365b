package org.navitas.gradle.android;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.HashMap;
import java.util.Map;
import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtField;
import org.junit.Test;

public class AgpVersionTest {
    private static final String SCOPED = "com.android.build.api.variant.ScopedArtifacts";
    private static final String TRANSFORM = "com.android.build.api.transform.Transform";

    @Test
    public void testedVersionsGiveNoWarning() throws Exception {
        AgpVersion version = new AgpVersion(plugin("com.android.Version", "8.4.2", SCOPED));
        assertEquals("8.4.2", version.text());
        assertNull(version.warning());
        assertTrue(version.isVisible() && version.hasScopedArtifacts());
        assertFalse(version.hasTransform());
    }

    @Test
    public void warnsOfUntestedVersions() throws Exception {
        AgpVersion version = new AgpVersion(plugin("com.android.builder.model.Version", "4.2.1", TRANSFORM));
        assertEquals("4.2.1", version.text());
        assertEquals(
                "Android Gradle Plugin 4.2.1 is untested with Navitas (tested: 3.1.4, 7.4.2, 8.4.2)",
                version.warning());
        assertTrue(version.isVisible() && version.hasTransform());
        assertFalse(version.hasScopedArtifacts());
    }

    @Test
    public void invisibleClassesAreNoPlugin() throws Exception {
        AgpVersion version = new AgpVersion(new Classes(new HashMap<>()));
        assertFalse(version.isVisible());
        assertEquals("unknown", version.text());
    }

    private static ClassLoader plugin(String holder, String version, String api) throws Exception {
        ClassPool pool = new ClassPool(true);
        CtClass versions = pool.makeClass(holder);
        versions.addField(CtField.make(
                "public static final String ANDROID_GRADLE_PLUGIN_VERSION = \"" + version + "\";", versions));
        Map<String, byte[]> classes = new HashMap<>();
        classes.put(holder, versions.toBytecode());
        classes.put(api, pool.makeInterface(api).toBytecode());
        return new Classes(classes);
    }

    /** Defines classes from memory. */
    private static final class Classes extends ClassLoader {
        private final Map<String, byte[]> classes;

        Classes(Map<String, byte[]> classes) {
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
