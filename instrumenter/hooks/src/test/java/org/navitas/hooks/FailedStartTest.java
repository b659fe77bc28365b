package org.navitas.hooks;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
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
            return ((Callable<String>) loadClass(Code.class.getName()).getDeclaredConstructor().newInstance()).call();
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
            Tables.get().sensorListeners.end(1, Hook.SENSOR, Hook.begin(1), 0, task);
            try (java.nio.channels.SocketChannel channel = java.nio.channels.SocketChannel.open()) {
                Peers.readKind(channel);
            }
            if (!records) { // Android's process id cannot be read here
                ProviderCall.end(ProviderCall.begin(), "authority");
            }
            boolean same = Tables.get() == Tables.get();
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
        assertEquals("false 1 false", after("org.navitas.hooks.WeakTable"));
        assertEquals("false 1 false", after("org.navitas.hooks.Callback"));
        assertEquals("true 1 true", after("org.navitas.hooks.Sent"));
    }

    @Test
    public void hooksRecordWhereThereIsNoAndroid() throws Exception {
        assertEquals("true 1 true", after(ANDROID));
    }

    @Test
    public void tablesAreThoseOfTheProcess() {
        assertTrue(Hook.records());
        assertSame(Tables.get(), Tables.get());
        assertNotSame(Tables.get(), new Tables());
    }

    /** An error in an initializer on a thread of the app would make each later use of the class throw. */
    @Test
    public void onlyTablesHaveInitializers() throws Exception {
        File classes = new File(Tables.class.getResource("Tables.class").toURI()).getParentFile();
        List<String> found = new ArrayList<>();
        for (File each : classes.listFiles()) {
            if (new String(Files.readAllBytes(each.toPath()), StandardCharsets.ISO_8859_1).contains("<clinit>")) {
                found.add(each.getName());
            }
        }
        Collections.sort(found);
        assertEquals("[AndroidTables.class, Tables$Made.class]", found.toString());
    }
}
