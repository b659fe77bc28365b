package org.navitas.phone;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PowerMonitorPortTest {
    @Rule
    public TemporaryFolder root = new TemporaryFolder();

    @After
    public void restore() {
        System.clearProperty("navitas.sysRoot");
    }

    @Test
    public void returnsTheAnswerToItsOwnRequestOnly() throws IOException {
        System.setProperty("navitas.sysRoot", root.getRoot().getPath());
        File folder = root.newFolder("proc", Integer.toString(LogSocket.processId()));
        byte[] answer = "1\n1 5000 77 [VSYS_PWR_MODEM]:Modem\n0 5000 8 WIFI\n".getBytes(StandardCharsets.UTF_8);
        Files.write(new File(folder, "power_monitors").toPath(), answer);
        assertEquals(Arrays.asList("1 5000 77 [VSYS_PWR_MODEM]:Modem", "0 5000 8 WIFI"), PowerMonitorPort.ask());
        assertThrows("the file answers the request before", IOException.class, PowerMonitorPort::ask);
    }
}
