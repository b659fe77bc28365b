package org.navitas.phone;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.Before;
import org.junit.Test;

/** Which connections have both ends in this process. */
public class OwnSocketsTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    @Before
    public void linux() {
        assumeTrue("needs Linux", new File("/proc/self/net/tcp").exists());
    }

    @Test
    public void aServerOfThisProcessIsFound() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
            assertTrue(OwnSockets.have(0, server.getLocalPort()));
        }
    }

    @Test
    public void theClientOfAnAcceptedConnectionIsFound() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, HERE);
                Socket client = new Socket(HERE, server.getLocalPort());
                Socket accepted = server.accept()) {
            assertTrue(OwnSockets.have(accepted.getLocalPort(), client.getLocalPort()));
            assertTrue(OwnSockets.have(client.getLocalPort(), server.getLocalPort()));
        }
    }

    @Test
    public void whatNoSocketOfThisProcessIsConnectedToIsElsewhere() throws Exception {
        int closed;
        try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
            closed = server.getLocalPort();
        }
        assertFalse(OwnSockets.have(0, closed));
        try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
            assertFalse("of another program's client", OwnSockets.have(server.getLocalPort(), 1));
        }
    }
}
