package org.navitas.gradle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;
import org.gradle.api.GradleException;
import org.navitas.instrument.choice.Probes;

/** The jars within the plugin's jar that are added to the user's classes. */
public final class CarriedJars {
    /** The runtime, for every instrumented app. */
    public static final String RUNTIME = "navitas-runtime.jar";
    /** The JUnit listeners, for tests. */
    public static final String LISTENER = "navitas-runtime-junit.jar";
    /** The hooks, for apps whose calls of APIs are hooked. */
    public static final String HOOKS = "navitas-hooks.jar";
    /** The counters of basic blocks, for apps that have them. */
    public static final String BLOCKS = "navitas-runtime-blocks.jar";

    private static final List<String> ALL =
            Collections.unmodifiableList(Arrays.asList(RUNTIME, LISTENER, HOOKS, BLOCKS));

    private CarriedJars() {}

    /** Returns the jars of a bundle. */
    static List<String> ofBundle(boolean hooks, Probes probes) {
        List<String> jars = new ArrayList<>(Arrays.asList(RUNTIME, LISTENER));
        if (hooks) {
            jars.add(HOOKS);
        }
        if (probes == Probes.BLOCKS) {
            jars.add(BLOCKS);
        }
        return jars;
    }

    /**
     * Returns the contents of a jar.
     *
     * @param jar {@link #RUNTIME}, {@link #LISTENER}, {@link #HOOKS} or {@link #BLOCKS}
     * @return the bytes of the jar
     * @throws IOException if the plugin's jar cannot be read
     */
    public static byte[] bytes(String jar) throws IOException {
        try (InputStream in = CarriedJars.class.getResourceAsStream(jar)) {
            if (in == null) {
                throw new GradleException(
                        "navitas: the plugin's jar does not contain " + jar + "; build or install it again");
            }
            return read(in);
        }
    }

    /**
     * Returns a hash of the contents of all jars.
     *
     * @return hexadecimal digits
     */
    public static String hash() {
        CRC32 crc = new CRC32();
        try {
            for (String jar : ALL) {
                crc.update(bytes(jar));
            }
        } catch (IOException e) {
            throw new GradleException("navitas: cannot read the plugin's jar: " + e.getMessage(), e);
        }
        return Long.toHexString(crc.getValue());
    }

    /**
     * Reads a stream to its end.
     *
     * @param in the stream; not closed
     * @return the remaining bytes
     * @throws IOException if reading fails
     */
    public static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            bytes.write(buffer, 0, n);
        }
        return bytes.toByteArray();
    }
}
