package org.navitas.instrument.code;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ClassFile;

/**
 * The source lines of code that Kotlin's compiler inlined into a class. Such code has line numbers beyond the end of the
 * source file. The attribute {@code SourceDebugExtension} (JSR-45) maps them: the stratum {@code Kotlin} to the lines of
 * the inlined function, {@code KotlinDebug} to the line of its call. Code that the compiler made for an inlined lambda can
 * have numbers that it does not map, such as 65535. Immutable.
 *
 * <p>The attribute can have any content. What cannot be read maps nothing.
 */
public final class InlinedLines {
    private static final String ATTRIBUTE = "SourceDebugExtension";
    private static final Pattern SECTION = Pattern.compile("\\*(\\p{Upper}) ?(.*)");
    private static final Pattern FILE = Pattern.compile("(?:\\+ )?(\\d{1,7}) (.+)");
    /** InputStartLine#FileID,RepeatCount:OutputStartLine,OutputLineIncrement; all but the starts can be missing. */
    private static final Pattern LINES =
            Pattern.compile("(\\d{1,7})(?:#(\\d{1,7}))?(?:,(\\d{1,7}))?:(\\d{1,7})(?:,(\\d{1,7}))?");

    private static final int MOST_LINES = 65535;

    /** Line numbers of a class that stand for consecutive lines of a source file. */
    public static final class Range {
        /** Name of the source file. */
        public final String file;

        private final int firstNumber;
        private final int lastNumber;
        private final int firstLine;
        /** Numbers that each line has. */
        private final int increment;

        private Range(String file, int firstNumber, int lastNumber, int firstLine, int increment) {
            this.file = file;
            this.firstNumber = firstNumber;
            this.lastNumber = lastNumber;
            this.firstLine = firstLine;
            this.increment = increment;
        }

        /**
         * Returns the line in the source file.
         *
         * @param number a line number of this range
         * @return the line
         */
        public int lineOf(int number) {
            return firstLine + (number - firstNumber) / increment;
        }
    }

    private final String ownFile;
    private final TreeMap<Integer, Range> code = new TreeMap<>();
    private final TreeMap<Integer, Range> calls = new TreeMap<>();

    private InlinedLines(String ownFile, String text) {
        this.ownFile = ownFile;
        TreeMap<Integer, Range> stratum = null;
        Map<Integer, String> files = new HashMap<>();
        char section = 0;
        int fileId = 0;
        for (String line : text.split("\r\n|\r|\n")) {
            Matcher start = SECTION.matcher(line);
            if (start.matches()) {
                section = start.group(1).charAt(0);
                if (section == 'S') {
                    stratum = start.group(2).equals("Kotlin")
                            ? code
                            : start.group(2).equals("KotlinDebug") ? calls : null;
                    files.clear();
                    fileId = 0;
                }
            } else if (section == 'F') {
                Matcher file = FILE.matcher(line);
                if (file.matches()) { // otherwise the path of the file before
                    files.putIfAbsent(Integer.parseInt(file.group(1)), file.group(2));
                }
            } else if (section == 'L' && stratum != null) {
                Matcher lines = LINES.matcher(line);
                if (lines.matches()) {
                    fileId = number(lines, 2, fileId);
                    add(stratum, files.get(fileId), lines);
                }
            }
        }
    }

    /**
     * Reads the lines of a class.
     *
     * @param file a class
     * @return its inlined lines; none if the class does not name its source file
     */
    public static InlinedLines of(ClassFile file) {
        AttributeInfo extension = file.getAttribute(ATTRIBUTE);
        boolean isMapped = extension != null && file.getSourceFile() != null;
        return new InlinedLines(
                file.getSourceFile(), isMapped ? new String(extension.get(), StandardCharsets.UTF_8) : "");
    }

    private static void add(TreeMap<Integer, Range> stratum, String file, Matcher lines) {
        int first = number(lines, 4, 0);
        int increment = number(lines, 5, 1);
        long last = first + Math.max(1, (long) number(lines, 3, 1) * increment) - 1;
        if (file != null && first <= MOST_LINES) {
            stratum.putIfAbsent(
                    first,
                    new Range(
                            file,
                            first,
                            (int) Math.min(last, MOST_LINES),
                            number(lines, 1, 0),
                            Math.max(1, increment)));
        }
    }

    private static int number(Matcher lines, int group, int otherwise) {
        return lines.group(group) == null ? otherwise : Integer.parseInt(lines.group(group));
    }

    /**
     * Returns the inlined code that a line number stands for.
     *
     * @param number a line number of the class
     * @return a range with that number, or null if it is a line of the source file or of no file
     */
    public Range at(int number) {
        Range range = in(code, number);
        return range == null || range.file.equals(ownFile) && range.lineOf(number) == number ? null : range;
    }

    /**
     * Returns the line of the class's own source file: for inlined code, that of its call.
     *
     * @param number a line number of the class
     * @return the line, or 0 if it is not known
     */
    public int ownLine(int number) {
        if (code.isEmpty()) {
            return number;
        }
        Range call = in(calls, number);
        Range own = call != null ? call : in(code, number);
        return own != null && own.file.equals(ownFile) ? own.lineOf(number) : 0;
    }

    private static Range in(TreeMap<Integer, Range> stratum, int number) {
        Map.Entry<Integer, Range> range = stratum.floorEntry(number);
        return range != null && number <= range.getValue().lastNumber ? range.getValue() : null;
    }
}
