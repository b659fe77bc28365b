package android.net;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class TrafficStatsTest {
    @Rule
    public TemporaryFolder root = new TemporaryFolder();

    private String before;

    @Before
    public void setRoot() {
        before = System.setProperty("navitas.sysRoot", root.getRoot().getPath());
    }

    @After
    public void restoreRoot() {
        if (before == null) {
            System.clearProperty("navitas.sysRoot");
        } else {
            System.setProperty("navitas.sysRoot", before);
        }
    }

    private void file(String text) throws IOException {
        File file = new File(root.getRoot(), "dev/socket/traffic");
        file.getParentFile().mkdirs();
        Files.write(file.toPath(), text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    public void returnsTheCountersOfAUid() throws IOException {
        file("lo 9 9 9 9\n10057 1 2 3 4\n10058 5 6 7 8\n");
        assertEquals(5, TrafficStats.getUidRxBytes(10_058));
        assertEquals(6, TrafficStats.getUidRxPackets(10_058));
        assertEquals(7, TrafficStats.getUidTxBytes(10_058));
        assertEquals(8, TrafficStats.getUidTxPackets(10_058));
        assertEquals("a uid without traffic", 0, TrafficStats.getUidRxBytes(10_059));
    }

    @Test
    public void countsNothingWithoutAPhone() throws IOException {
        assertEquals(TrafficStats.UNSUPPORTED, TrafficStats.getUidRxBytes(10_057));
    }
}
