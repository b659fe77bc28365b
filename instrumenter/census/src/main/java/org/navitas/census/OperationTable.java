package org.navitas.census;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The classes of operations, from the table operations.txt. Immutable. */
final class OperationTable {
    static final String LIBRARY = "Library";
    /** The garbage collector's operation, which has no block. */
    static final String GC = "GC";

    private static final Map<String, String[]> ROWS = new LinkedHashMap<>();

    static {
        for (String[] row : rows("operations.txt", 4)) {
            ROWS.put(row[0], row);
        }
    }

    private OperationTable() {}

    /** Returns the class of an operation. Names that the table lacks are library functions. */
    static String classOf(String operation) {
        String[] row = rowOf(operation);
        return row == null ? LIBRARY : row[1];
    }

    /** Returns whether an operation is taken from its instruction also where the source is known. */
    static boolean isOfInstruction(String operation) {
        String[] row = rowOf(operation);
        return row == null || row[2].equals("instruction");
    }

    /** Returns the rows of a table: fields between " | ", without comments. */
    static List<String[]> rows(String resource, int fields) {
        List<String[]> rows = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(OperationTable.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isEmpty() && line.charAt(0) != '#') {
                    rows.add(line.split(" \\| ", fields));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
        return rows;
    }

    private static String[] rowOf(String operation) {
        String[] exact = ROWS.get(operation);
        if (exact != null) {
            return exact;
        }
        if (operation.startsWith("Monitor ")) {
            return ROWS.get("Monitor");
        }
        int typed = operation.indexOf('_');
        return typed < 0 ? null : ROWS.get(operation.substring(0, typed + 1));
    }
}
