package org.navitas.instrument.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ClassFile;
import javassist.bytecode.SourceFileAttribute;
import org.junit.Test;

/** The lines of code that Kotlin's compiler inlined: by its own text, by the format's other forms, and by damaged text. */
public class InlinedLinesTest {
    /** {@code Sums.kt} has 20 lines. In line 7 it calls {@code map}, in line 9 an inline function of its own, in line 3. */
    private static final String TEXT = "SMAP\n"
            + "Sums.kt\n"
            + "Kotlin\n"
            + "*S Kotlin\n"
            + "*F\n"
            + "+ 1 Sums.kt\n"
            + "a/SumsKt\n"
            + "+ 2 _Collections.kt\n"
            + "kotlin/collections/CollectionsKt___CollectionsKt\n"
            + "*L\n"
            + "1#1,20:1\n"
            + "1563#2:21\n"
            + "1634#2,3:22\n"
            + "3#1,2:25\n"
            + "*S KotlinDebug\n"
            + "*F\n"
            + "+ 1 Sums.kt\n"
            + "a/SumsKt\n"
            + "*L\n"
            + "7#1:21\n"
            + "7#1:22,3\n"
            + "9#1:25,2\n"
            + "*E\n";

    @Test
    public void inlinedCodeHasItsLineAndThatOfItsCall() {
        assertEquals("7 _Collections.kt:1563", of(TEXT, 21));
        assertEquals("7 _Collections.kt:1634", of(TEXT, 22));
        assertEquals("7 _Collections.kt:1636", of(TEXT, 24));
        assertEquals("9 Sums.kt:4", of(TEXT, 26));
    }

    @Test
    public void otherLinesAreThoseOfTheFileOrUnknown() {
        for (int line : new int[] {1, 20}) {
            assertEquals(line + "", of(TEXT, line));
        }
        for (int line : new int[] {0, 27, 65_535}) {
            assertEquals("0", of(TEXT, line));
            assertEquals(line + "", of("", line));
        }
    }

    @Test
    public void linesWithoutACallAreThoseOfTheFileIfItIsTheirs() {
        String text = TEXT.substring(0, TEXT.indexOf("*S KotlinDebug"));
        assertEquals("0 _Collections.kt:1635", of(text, 23));
        assertEquals("3 Sums.kt:3", of(text, 25));
    }

    @Test
    public void otherFormsOfTheFormatAreRead() {
        String text =
                "SMAP\r\nA.kt\rOther\n*S Other\n*F\n1 B.kt\n*L\n5:30,100\n*S Kotlin\n*F\n1 A.kt\n+ 2 B.kt\n3 C.kt\n*L\n"
                        + "1#1,9:1\n100#2,3:30,2\n200,2:40\n7:50,0\n*S KotlinDebug\n*F\n1 A.kt\n*L\n5#1:30,99\n*E";
        InlinedLines lines = InlinedLines.of(file("A.kt", text.getBytes(StandardCharsets.UTF_8)));
        assertEquals(102, lines.at(35).lineOf(35)); // two line numbers for each line
        assertNull(lines.at(36));
        assertEquals("B.kt", lines.at(41).file); // the file of the entry before
        assertEquals(7, lines.at(50).lineOf(50));
        assertEquals(5, lines.ownLine(50));
    }

    @Test
    public void classesWithoutSourceFileHaveNone() {
        ClassFile file = new ClassFile(false, "a.B", null);
        file.removeAttribute(SourceFileAttribute.tag);
        file.addAttribute(
                new AttributeInfo(file.getConstPool(), "SourceDebugExtension", TEXT.getBytes(StandardCharsets.UTF_8)));
        assertNull(InlinedLines.of(file).at(21));
        assertEquals(21, InlinedLines.of(file).ownLine(21));
    }

    @Test
    public void damagedTextMapsToValidLines() {
        Random random = new Random(36);
        for (int i = 0; i < 2_000; i++) {
            byte[] text = TEXT.getBytes(StandardCharsets.UTF_8);
            for (int changes = random.nextInt(20); changes >= 0; changes--) {
                text[random.nextInt(text.length)] = (byte)
                        (random.nextBoolean() ? "0123456789#,:*+\n".charAt(random.nextInt(16)) : random.nextInt());
            }
            InlinedLines lines = InlinedLines.of(file("Sums.kt", text));
            for (int line : new int[] {0, 1, 21, 26, 999, 65_535}) {
                assertTrue(lines.ownLine(line) >= 0);
                assertTrue(lines.at(line) == null || lines.at(line).lineOf(line) >= 0);
            }
        }
    }

    @Test
    public void hugeNumbersEndAtTheLastLine() {
        String text = "SMAP\n"
                + "A.kt\n"
                + "Kotlin\n"
                + "*S Kotlin\n"
                + "*F\n"
                + "1 B.kt\n"
                + "*L\n"
                + "9999999#1,9999999:1,9999999\n"
                + "1#1:9999999\n"
                + "1#99999999:7\n"
                + "*E\n";
        assertEquals("0 B.kt:9999999", of(text, 65_535));
    }

    /** Returns the line in the class's file, and the place of inlined code. */
    private static String of(String text, int number) {
        InlinedLines lines = InlinedLines.of(file("Sums.kt", text.getBytes(StandardCharsets.UTF_8)));
        InlinedLines.Range range = lines.at(number);
        return lines.ownLine(number) + (range == null ? "" : " " + range.file + ":" + range.lineOf(number));
    }

    private static ClassFile file(String source, byte[] text) {
        ClassFile file = new ClassFile(false, "a.SumsKt", null);
        file.addAttribute(new SourceFileAttribute(file.getConstPool(), source));
        file.addAttribute(new AttributeInfo(file.getConstPool(), "SourceDebugExtension", text));
        return file;
    }
}
