package org.navitas.phone;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The TCP sockets of this process, as Linux lists them. The runtime asks which connections the virtual phone counts on
 * its loopback interface. Linux takes milliseconds for its list, so the answer for a server's port is kept. The phone
 * learns which servers of other programs this process uses: a connection may end before the phone sees it. Thread-safe.
 */
public final class OwnSockets {
    private static final String[] TABLES = {"/proc/self/net/tcp6", "/proc/self/net/tcp"};
    private static final String LISTENS = "0A";
    private static final int LOCAL = 1, REMOTE = 2, STATE = 3, INODE = 9;
    private static final int MOST_SERVERS = 4096;
    /** Whether both ends of connections to a server's port are in this process. */
    private static final Map<Integer, Boolean> SERVERS = new ConcurrentHashMap<>();

    private OwnSockets() {}

    /**
     * Returns whether this process has the other end of a connection: a socket that listens on {@code remotePort}, or
     * one that is connected to {@code localPort}. False if it cannot be known.
     *
     * @param localPort the port of this end, or 0 if unknown
     * @param remotePort the port of the other end
     */
    public static boolean have(int localPort, int remotePort) {
        Boolean known = SERVERS.get(remotePort);
        known = known == null ? SERVERS.get(localPort) : known;
        if (known != null) {
            return known;
        }
        try {
            Set<String> own = own();
            boolean isServer = false;
            boolean isHere = false;
            for (String table : TABLES) {
                try (BufferedReader lines = new BufferedReader(
                        new InputStreamReader(new FileInputStream(table), StandardCharsets.US_ASCII))) {
                    lines.readLine(); // names of the columns
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        String[] fields = line.trim().split(" +", INODE + 2);
                        if (own.contains("socket:[" + fields[INODE] + "]")) {
                            boolean listens = fields[STATE].equals(LISTENS);
                            isServer |= listens && port(fields[LOCAL]) == localPort;
                            isHere |=
                                    port(fields[LOCAL]) == remotePort && (listens || port(fields[REMOTE]) == localPort);
                        }
                    }
                }
                if (isHere) {
                    break;
                }
            }
            if (SERVERS.size() >= MOST_SERVERS) {
                SERVERS.clear();
            }
            if (!isServer && !isHere) {
                LogSocket.report("server", Integer.toString(remotePort));
            }
            SERVERS.put(isServer ? localPort : remotePort, isHere);
            return isHere;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
    }

    /** Returns what the links of this process's descriptors name. */
    private static Set<String> own() throws IOException {
        Set<String> found = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Paths.get("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    found.add(Files.readSymbolicLink(descriptor).toString());
                } catch (IOException e) {
                    // closed meanwhile
                }
            }
        }
        return found;
    }
}
