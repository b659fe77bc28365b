package org.navitas.phone;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PhoneRequestTest {
    @Rule
    public TemporaryFolder root = new TemporaryFolder();

    @Before
    public void setRoot() {
        System.setProperty("navitas.sysRoot", root.getRoot().getPath());
    }

    @After
    public void restore() {
        System.clearProperty("navitas.sysRoot");
    }

    private void file(String path, String text) throws IOException {
        File file = new File(root.getRoot(), path);
        file.getParentFile().mkdirs();
        Files.write(file.toPath(), text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    public void returnsTheAnswerToItsOwnRequestOnly() throws IOException {
        file("proc/" + LogSocket.processId() + "/answer", "1\n1 5000 77 [VSYS_PWR_MODEM]:Modem\n0 5000 8 WIFI\n");
        assertEquals(
                Arrays.asList("1 5000 77 [VSYS_PWR_MODEM]:Modem", "0 5000 8 WIFI"), PhoneRequest.ask("powermonitors"));
        assertThrows("the file answers the request before", IOException.class, () -> PhoneRequest.ask("powermonitors"));
    }

    @Test
    public void aRequestThatWouldBeCutIsNotSent() {
        String value = new String(new char[LogSocket.MAX_PAYLOAD]).replace('\0', 'x');
        IOException refused =
                assertThrows(IOException.class, () -> PhoneRequest.ask("setting", "system", "name", value));
        assertTrue(refused.getMessage(), refused.getMessage().startsWith("too long for the phone: setting, "));
    }

    @Test
    public void readsTheStateOfEachMoment() throws IOException {
        assertNull("without a phone", PhoneState.get("wifi"));
        file(
                "dev/socket/state",
                "wifi 1\nsystem.a%20b c%3D%0Ad\nempty \n" + new String(new char[20_000]).replace("\0", "x"));
        assertEquals(
                "1 c=\nd ",
                PhoneState.get("wifi") + " " + PhoneState.get("system.a b") + " " + PhoneState.get("empty"));
        file("dev/socket/state", "wifi 0\n");
        assertEquals("0 null", PhoneState.get("wifi") + " " + PhoneState.get("empty"));
    }
}
