package org.navitas.hooks.threads;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import android.hardware.SensorEventListener;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.hooks.base.Started;
import org.navitas.hooks.devices.Sensors;
import org.navitas.hooks.network.ByteChannels;
import org.navitas.hooks.providers.Resolvers;
import org.navitas.hooks.work.Jobs;
import org.navitas.runtime.Hook;

/** Hooks without what they remember: each does what the API does. */
public class FailedStartTest {
    private static final String ANDROID = "android.";

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    /** Loads runtime and hooks of its own, and finds no memory for one class while the runtime starts, or no class of Android. */
    private static final class Loader extends URLClassLoader {
        private final String lacking;

        Loader(String lacking) throws Exception {
            super(urls(), null);
            this.lacking = lacking;
        }

        private static URL[] urls() throws Exception {
            String[] paths = System.getProperty("java.class.path").split(File.pathSeparator);
            URL[] urls = new URL[paths.length];
            for (int i = 0; i < paths.length; i++) {
                urls[i] = new File(paths[i]).toURI().toURL();
            }
            return urls;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (lacking.equals(ANDROID) && name.startsWith(ANDROID)) {
                throw new ClassNotFoundException(name);
            }
            if (name.equals(lacking) && Thread.currentThread().getName().equals("navitas-start")) {
                throw new OutOfMemoryError("injected");
            }
            return super.loadClass(name, resolve);
        }

        @SuppressWarnings("unchecked")
        String call() throws Exception {
            return ((Callable<String>) loadClass(Code.class.getName())
                            .getDeclaredConstructor()
                            .newInstance())
                    .call();
        }
    }

    /** Uses hooks that remember something. */
    public static final class Code implements Callable<String> {
        @Override
        public String call() throws Exception {
            boolean records = Hook.records();
            int[] runs = new int[1];
            Runnable task = () -> runs[0]++;
            Posted.of(task).run();
            Posted.known(task);
            new Started().end(1, Hook.AUDIO, Hook.begin(1), 0, task);
            try (SocketChannel channel = SocketChannel.open()) {
                assertThrows(NotYetConnectedException.class, () -> ByteChannels.read(channel, ByteBuffer.allocate(1)));
            }
            if (!records) { // Android's process id cannot be read here
                assertThrows(NullPointerException.class, () -> Resolvers.delete(null, null, null, null));
                assertThrows(
                        NullPointerException.class, () -> Sensors.unregisterListener(null, (SensorEventListener) null));
                assertThrows(NullPointerException.class, () -> Jobs.cancelAll(null));
            }
            boolean same = ThreadTables.get() == ThreadTables.get();
            return records + " " + runs[0] + " " + same;
        }
    }

    private String after(String lacking) throws Exception {
        String former = System.getProperty("navitas.out");
        System.setProperty("navitas.out", folder.getRoot().getPath());
        String recording = System.clearProperty("navitas.recording");
        try (Loader loader = new Loader(lacking)) {
            return loader.call();
        } finally {
            System.setProperty("navitas.out", former);
            if (recording != null) {
                System.setProperty("navitas.recording", recording);
            } else {
                System.clearProperty("navitas.recording");
            }
        }
    }

    @Test
    public void hooksDoWhatTheApiDoes() throws Exception {
        assertEquals("false 1 false", after("org.navitas.runtime.Sampler"));
        assertEquals("false 1 false", after("org.navitas.hooks.base.WeakTable"));
        assertEquals("false 1 false", after("org.navitas.hooks.intents.Callback"));
        assertEquals("true 1 true", after("org.navitas.hooks.intents.Sent"));
    }

    @Test
    public void hooksRecordWhereThereIsNoAndroid() throws Exception {
        assertEquals("true 1 true", after(ANDROID));
    }

    @Test
    public void tablesAreThoseOfTheProcess() {
        assertTrue(Hook.records());
        assertSame(ThreadTables.get(), ThreadTables.get());
        assertNotSame(ThreadTables.get(), new ThreadTables());
    }

    /** An error in an initializer on a thread of the app would make each later use of the class throw. */
    @Test
    public void onlyTablesHaveInitializers() throws Exception {
        Path classes = Paths.get(Started.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolve("org/navitas/hooks");
        Set<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path each : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                if (new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1).contains("<clinit>")) {
                    found.add(each.getFileName().toString());
                }
            }
        }
        assertEquals(
                "[AndroidTables.class, DeviceTables$Made.class, IntentTables$Made.class, NetworkTables$Made.class,"
                        + " ProviderTables$Made.class, Tables.class, ThreadTables$Made.class, WorkTables$Made.class]",
                found.toString());
    }
}
