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
import java.util.Set;

/**
 * The TCP sockets of this process, as Linux lists them. The runtime asks which connections the virtual phone counts on
 * its loopback interface.
 */
public final class OwnSockets {
    private static final String[] TABLES = {"/proc/self/net/tcp", "/proc/self/net/tcp6"};
    private static final String LISTENS = "0A";
    private static final int LOCAL = 1, REMOTE = 2, STATE = 3, INODE = 9;

    private OwnSockets() {}

    /**
     * Returns whether this process has the other end of a connection: a socket that listens on {@code remotePort}, or
     * one that is connected to {@code localPort}. False if it cannot be known.
     */
    public static boolean have(int localPort, int remotePort) {
        try {
            Set<String> ends = new HashSet<>();
            for (String table : TABLES) {
                addEnds(table, localPort, remotePort, ends);
            }
            return !ends.isEmpty() && hasOne(ends);
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** Adds what the links of their descriptors are, for sockets of all programs. */
    private static void addEnds(String table, int localPort, int remotePort, Set<String> ends) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(new FileInputStream(table), StandardCharsets.US_ASCII))) {
            lines.readLine(); // names of the columns
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.trim().split(" +", INODE + 2);
                boolean isEnd = port(fields[LOCAL]) == remotePort
                        && (fields[STATE].equals(LISTENS) || port(fields[REMOTE]) == localPort);
                if (isEnd) {
                    ends.add("socket:[" + fields[INODE] + "]");
                }
            }
        }
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
    }

    private static boolean hasOne(Set<String> ends) throws IOException {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Paths.get("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    if (ends.contains(Files.readSymbolicLink(descriptor).toString())) {
                        return true;
                    }
                } catch (IOException e) {
                    // closed meanwhile
                }
            }
        }
        return false;
    }
}
