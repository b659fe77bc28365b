package org.navitas.bridge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import py4j.GatewayServer;

/**
 * The gateway process. Reads an authentication token from the first line of standard input, serves {@link EntryPoint}
 * on a free loopback port, and prints the port as one line {@code {"port": N}}. Ends at the end of standard input, so
 * that it never outlives its parent process.
 */
public final class Main {
    private Main() {}

    /**
     * Runs the gateway.
     *
     * @param args ignored
     * @throws IOException if standard input cannot be read
     */
    public static void main(String[] args) throws IOException {
        GatewayServer.turnLoggingOff();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String token = in.readLine();
        if (token == null || token.isEmpty()) {
            System.err.println("no authentication token on standard input");
            System.exit(2);
        }
        GatewayServer server = new GatewayServer.GatewayServerBuilder(new EntryPoint())
                .javaAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))
                .javaPort(0)
                .authToken(token)
                .build();
        server.start();
        System.out.println("{\"port\": " + server.getListeningPort() + "}");
        System.out.flush();
        while (in.read() >= 0) {
            continue; // only the end of input matters
        }
        System.exit(0);
    }
}
