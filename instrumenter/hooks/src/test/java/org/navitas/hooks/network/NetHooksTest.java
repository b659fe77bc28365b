package org.navitas.hooks.network;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.navitas.hooks.Instrumented;
import org.navitas.hooks.Recorded;
import org.navitas.runtime.Hook;
import scenario.NetUse;

/** Hooks of the network: the app sees what it sees without them, and the bytes are those of the servers' logs. */
public class NetHooksTest {
    @Rule
    public final TemporaryFolder temporary = new TemporaryFolder();

    private final AtomicLong received = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private ServerSocket echo;
    private HttpServer http;

    @Before
    public void start() throws IOException {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        echo = new ServerSocket(0, 5, here);
        Thread thread = new Thread(this::echo);
        thread.setDaemon(true);
        thread.start();
        http = HttpServer.create(new InetSocketAddress(here, 0), 0);
        http.createContext("/", exchange -> {
            received.addAndGet(drained(exchange.getRequestBody()));
            boolean missing = exchange.getRequestURI().getPath().equals("/missing");
            byte[] body = new byte[missing ? 77 : 5000];
            exchange.sendResponseHeaders(missing ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
            sent.addAndGet(body.length);
            exchange.close();
        });
        http.start();
    }

    @After
    public void stop() throws IOException {
        http.stop(0);
        echo.close();
    }

    private static int drained(InputStream in) throws IOException {
        int count = 0;
        while (in.read() >= 0) {
            count++;
        }
        return count;
    }

    private void echo() {
        try {
            for (; ; ) {
                try (Socket socket = echo.accept()) {
                    for (int value = socket.getInputStream().read();
                            value >= 0;
                            value = socket.getInputStream().read()) {
                        received.incrementAndGet();
                        socket.getOutputStream().write(value);
                        sent.incrementAndGet();
                    }
                }
            }
        } catch (IOException e) {
            // the test has closed the server
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    public void behaviourIsTheSameAndBytesAreThoseOfTheServers() throws Exception {
        int[] ports = {echo.getLocalPort(), http.getAddress().getPort()};
        List<String> expected = new NetUse().apply(ports);
        long receivedOnce = received.getAndSet(0);
        long sentOnce = sent.getAndSet(0);
        Object hooked = Instrumented.create(NetUse.class, temporary.getRoot().toPath());
        Recorded<List<String>> recorded = Recorded.of(() -> ((Function<int[], List<String>>) hooked).apply(ports));
        assertEquals(expected, recorded.result);
        assertTrue(receivedOnce > 1000 && receivedOnce == received.get() && sentOnce == sent.get());
        int datagrams = 30 + 20;
        assertEquals(received.get() + datagrams, recorded.bytes(Hook.LOOPBACK_WRITE));
        assertEquals(sent.get() + datagrams, recorded.bytes(Hook.LOOPBACK_READ));
        assertEquals(
                0,
                recorded.count(
                        kind -> kind > Hook.NET_WRITE && kind < Hook.LOOPBACK_READ || kind > Hook.LOOPBACK_WRITE));
        assertEquals(0, recorded.bytes(Hook.NET_WRITE) + recorded.bytes(Hook.NET_READ));
    }

    @Test
    public void streamsOfASocketHaveItsHandle() throws Exception {
        Recorded<Integer> recorded = Recorded.of(() -> {
            try (Socket socket = new Socket(echo.getInetAddress(), echo.getLocalPort())) {
                Sockets.getOutputStream(socket).write('x');
                return Sockets.getInputStream(socket).read();
            }
        });
        assertEquals('x', (int) recorded.result);
        assertEquals(2, recorded.uses.size());
        assertEquals(recorded.uses.get(0).handle, recorded.uses.get(1).handle);
    }
}
