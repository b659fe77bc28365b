package org.navitas.junit;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * A test's name in markers, in the instrumentation stream, in selections and in reports: {@code class#method}.
 * Immutable.
 *
 * <p>Both parts are printable and of limited length, whatever text a framework passes (parameters, display names).
 * Control characters become {@code \n}, {@code \t} or {@code \\u001b}. A part that is too long is cut and ends with the
 * CRC-32 of the full text. {@code navitas.android.instrumentation} cleans other names the same way. Uses API 21 only.
 */
public final class TestName {
    /** The method name that represents a whole class, as {@code am instrument} prints it. */
    public static final String NO_METHOD = "null";

    /** Maximum number of characters of a part; longer ones are cut. */
    static final int MOST_CHARACTERS = 240;

    private static final int KEPT_CHARACTERS = MOST_CHARACTERS - 9;

    /** Fully qualified class name, with {@code $} for nested classes. */
    public final String className;
    /** Method name with parameters or index; {@link #NO_METHOD} for a whole class. */
    public final String method;

    /**
     * Creates a name; null as the method becomes {@link #NO_METHOD}.
     *
     * @param className fully qualified class name
     * @param method method name with parameters or index, or null
     */
    public TestName(String className, String method) {
        this.className = clean(className);
        this.method = clean(String.valueOf(method));
    }

    /**
     * Returns the text in printable characters, cut if too long. Printable text of allowed length is returned
     * unchanged.
     *
     * @param text any text
     * @return the printable text
     */
    public static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            append(clean, text.codePointAt(i));
        }
        if (clean.codePointCount(0, clean.length()) <= MOST_CHARACTERS) {
            return clean.toString();
        }
        CRC32 checksum = new CRC32();
        byte[] bytes = clean.toString().getBytes(StandardCharsets.UTF_8);
        checksum.update(bytes, 0, bytes.length);
        int end = clean.offsetByCodePoints(0, KEPT_CHARACTERS);
        return clean.substring(0, end) + "\u2026" + hex(checksum.getValue(), 8);
    }

    private static void append(StringBuilder to, int character) {
        if (character == '\n') {
            to.append("\\n");
        } else if (character == '\r') {
            to.append("\\r");
        } else if (character == '\t') {
            to.append("\\t");
        } else if (isPrintable(character)) {
            to.appendCodePoint(character);
        } else {
            to.append("\\u").append(hex(character, 4));
        }
    }

    /**
     * Not printable: control characters, line separators, unpaired surrogates, and characters that change the text
     * direction.
     */
    private static boolean isPrintable(int character) {
        int type = Character.getType(character);
        boolean turns = character >= 0x202a && character <= 0x202e || character >= 0x2066 && character <= 0x2069;
        return !(turns
                || type == Character.CONTROL
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.SURROGATE);
    }

    private static String hex(long value, int digits) {
        StringBuilder hex = new StringBuilder(Long.toHexString(value));
        while (hex.length() < digits) {
            hex.insert(0, '0');
        }
        return hex.toString();
    }

    /**
     * Returns whether this name represents a whole class.
     *
     * @return true if the method is {@link #NO_METHOD}
     */
    public boolean isClass() {
        return method.equals(NO_METHOD);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TestName && ((TestName) other).toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return className + "#" + method;
    }
}
