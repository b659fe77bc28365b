package org.navitas.bridge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import py4j.GatewayServer;

/**
 * The gateway process: reads an auth token from the first line of standard input, serves {@link EntryPoint} on a free
 * loopback port, tells the port as one line {@code {"port": N}}, and ends when standard input does, so that it never
 * outlives the process that started it.
 */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws IOException {
    GatewayServer.turnLoggingOff();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String token = in.readLine();
    if (token == null || token.isEmpty()) {
      System.err.println("no auth token on standard input");
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
      continue; // whatever the parent still says, only its end matters
    }
    System.exit(0);
  }
}
