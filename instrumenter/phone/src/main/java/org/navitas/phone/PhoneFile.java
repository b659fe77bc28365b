package org.navitas.phone;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Small files below the phone's root, which the phone replaces and never writes in place. */
final class PhoneFile {
    private static final int FIRST_BYTES = 1 << 13;
    private static final int MOST_BYTES = 1 << 20;

    private PhoneFile() {}

    /** Returns the text of a file; an empty text if there is no such file, as without a phone. */
    static String read(String path) {
        byte[] text = new byte[FIRST_BYTES];
        int length = 0;
        try (FileInputStream in = new FileInputStream(System.getProperty("navitas.sysRoot", "") + path)) {
            for (int n = 0; n >= 0 && length < MOST_BYTES; n = in.read(text, length, text.length - length)) {
                length += n;
                if (length == text.length) {
                    text = Arrays.copyOf(text, 2 * length);
                }
            }
            return new String(text, 0, length, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
