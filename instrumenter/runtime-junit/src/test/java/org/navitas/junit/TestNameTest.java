package org.navitas.junit;

import static org.junit.Assert.assertEquals;

import java.util.Collections;
import org.junit.Test;

public class TestNameTest {
    @Test
    public void makesNamesPrintable() {
        assertEquals("a b[ü \uD83D\uDE00]", TestName.clean("a b[ü \uD83D\uDE00]"));
        assertEquals(
                "a\\nb\\r\\tc\\u0000\\u001b[0m\\u2028\\u202e\\u0085",
                TestName.clean("a\nb\r\tc\0\u001b[0m\u2028\u202e\u0085"));
        assertEquals("half \\ud83d, other \\ude00", TestName.clean("half \uD83D, other \uDE00"));
    }

    @Test
    public void cutsLongNamesAndKeepsThemUnique() {
        String most = String.join("", Collections.nCopies(240, "x"));
        assertEquals(most, TestName.clean(most));
        // tests/unit/capture/device/test_instrumentation_parser.py tests the same.
        String cut = most.substring(0, 231) + "\u202683a789fe";
        assertEquals(cut, TestName.clean(most + "y"));
        assertEquals(cut, TestName.clean(cut));
    }

    @Test
    public void numbersTestsOfSameName() {
        UniqueNames names = new UniqueNames();
        assertEquals("a.B#m[x]", names.next("a.B", "m[x]").toString());
        assertEquals("a.B#m[x]~2", names.next("a.B", "m[x]").toString());
        assertEquals("a.C#m[x]", names.next("a.C", "m[x]").toString());
        assertEquals("a.B#null", names.next("a.B", null).toString());
        assertEquals("a.B#null", names.next("a.B", null).toString());
        assertEquals("m[x]", UniqueNames.plain("m[x]~2"));
    }
}
