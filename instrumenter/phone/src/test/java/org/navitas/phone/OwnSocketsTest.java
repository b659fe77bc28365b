package org.navitas.phone;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.Test;

/** Which connections have both ends in this process. */
public class OwnSocketsTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    @Test
    public void aServerAndTheOtherEndOfAConnectionAreFound() throws Exception {
        assumeTrue("needs Linux", new File("/proc/self/net/tcp").exists());
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
            port = server.getLocalPort();
            assertTrue(OwnSockets.have(0, port));
            try (Socket client = new Socket(HERE, port); Socket accepted = server.accept()) {
                server.close();
                assertTrue(OwnSockets.have(port, client.getLocalPort()));
                assertTrue(OwnSockets.have(client.getLocalPort(), port));
                assertFalse("it does not listen", OwnSockets.have(0, client.getLocalPort()));
                assertTrue(accepted.isConnected());
            }
        }
        assertFalse("the server is closed", OwnSockets.have(0, port));
    }
}
