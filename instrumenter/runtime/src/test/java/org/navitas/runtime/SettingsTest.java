package org.navitas.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Properties;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class SettingsTest {
    @Rule
    public TemporaryFolder root = new TemporaryFolder();

    private int uid = 10_123;
    private final Properties before = (Properties) System.getProperties().clone();

    @After
    public void restore() {
        System.setProperties(before);
    }

    private Settings load(String properties) throws Exception {
        write("data/local/tmp/navitas/org.example.properties", properties);
        System.setProperty("navitas.sysRoot", root.getRoot().getPath());
        System.setProperty("navitas.process", "org.example");
        return Settings.load(uid);
    }

    private void write(String path, String properties) throws Exception {
        File file = new File(root.getRoot(), path);
        file.getParentFile().mkdirs();
        Files.write(file.toPath(), properties.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    public void recordsNothingWithoutConfiguration() throws Exception {
        assertNull(Settings.load(uid));
        assertNull(Start.recorder());
        Probe.enter(1);
        Probe.thrown(1);
        Recorder.flush();
    }

    @Test
    public void readsProcessFileUnderSysRoot() throws Exception {
        Settings settings = load("out=/data/data/org.example/files/ü\nrepeat=2\nmode=folded\nsource.7=/sys/x\n");
        assertEquals(new File(root.getRoot(), "data/data/org.example/files/ü"), settings.out);
        assertEquals(2, settings.repeat);
        assertTrue(settings.folded);
        assertEquals("/sys/x", settings.sources.get(7));
        assertEquals(64 << 20, settings.eventBudgetBytes);
        assertEquals(1_000_000, settings.anchorIntervalNs);
        assertEquals(20_000_000, settings.sampleIntervalNs);
        assertEquals(500_000_000, settings.flushIntervalNs);
    }

    @Test
    public void appFileOverridesShellFileInAllProcesses() throws Exception {
        load("out=x\nrepeat=2\n");
        System.setProperty("navitas.process", "org.example:remote");
        assertEquals(2, Settings.load(uid).repeat);
        write("storage/emulated/0/Android/media/org.example/navitas/navitas.properties", "out=x\nrepeat=4\n");
        assertEquals(4, Settings.load(uid).repeat);
        write("data/user/0/org.example/files/navitas/navitas.properties", "out=x\nrepeat=3\n");
        assertEquals(3, Settings.load(uid).repeat);
        uid = 1_010_123;
        assertEquals(2, Settings.load(uid).repeat);
        write("data/user/10/org.example/files/navitas/navitas.properties", "out=x\nrepeat=5\n");
        assertEquals(5, Settings.load(uid).repeat);
        System.setProperty("navitas.process", "/usr/bin/java");
        assertNull(Settings.load(uid));
    }

    @Test
    public void tickModeAlsoFolds() throws Exception {
        Settings settings = load("out=x\nmode=tick\ntickIntervalUs=250\n");
        assertTrue(settings.folded && settings.ticked);
        assertEquals(250_000, settings.tickIntervalNs);
    }

    @Test
    public void systemPropertiesOverrideFile() throws Exception {
        System.setProperty("navitas.repeat", "9");
        System.setProperty("navitas.transport", "logcat");
        Settings settings = load("repeat=2\n");
        assertEquals(9, settings.repeat);
        assertTrue(settings.logcat);
    }

    @Test
    public void folderAloneSuffices() throws Exception {
        System.setProperty("navitas.out", "events");
        assertEquals(new File("events"), Settings.load(uid).out);
    }

    @Test
    public void reportsInvalidValue() throws Exception {
        for (String line :
                new String[] {"anchorIntervalUs=fast", "anchorIntervalUs=0", "anchorIntervalUs=99999999999"}) {
            try {
                load("out=x\n" + line);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().contains("'anchorIntervalUs' needs a number from 1 to 1000000000"));
                continue;
            }
            throw new AssertionError(line);
        }
    }

    @Test
    public void reportsMissingFolder() throws Exception {
        try {
            load("repeat=1\n");
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().contains("'out'"));
            return;
        }
        throw new AssertionError();
    }
}
