package org.navitas.phone;

import static org.junit.Assert.assertEquals;

import java.io.PrintStream;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class LogStreamTest {
    private final List<String> entries = new ArrayList<>();
    private final PrintStream out = new LogStream(line -> entries.add(line)).printer();

    @Test
    public void lineIsEntry() {
        out.print("a");
        out.println("b");
        out.println();
        out.print("grün\r\nend");
        assertEquals(Arrays.asList("ab", "", "grün"), entries);
        out.close();
        assertEquals("end", entries.get(3));
    }

    @Test
    public void cutsEndlessLine() {
        for (int i = 0; i < 9_000; i++) {
            out.print('x');
        }
        assertEquals(2, entries.size());
    }

    @Test
    public void traceOfMissingNetworkIsEmpty() {
        assertEquals("", android.util.Log.getStackTraceString(null));
        assertEquals("", android.util.Log.getStackTraceString(new RuntimeException(new UnknownHostException())));
        assertEquals(
                "java.lang.IllegalStateException: x",
                android.util.Log.getStackTraceString(new IllegalStateException("x"))
                        .split("\n")[0]);
    }
}
