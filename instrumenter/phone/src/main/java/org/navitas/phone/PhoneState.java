package org.navitas.phone;

import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * The phone's state, which its shell and dumps show, too. The phone writes it to a file after each change: lines of a name, a
 * space and a value, both percent-encoded. Thread-safe.
 */
public final class PhoneState {
    private static final String FILE = "/dev/socket/state";
    private static volatile Parsed latest = new Parsed("");

    private PhoneState() {}

    /**
     * Returns a value of the present state.
     *
     * @param name such as {@code battery.status}, or a setting: {@code system.screen_brightness}
     * @return null if there is none
     */
    public static String get(String name) {
        return all().get(name);
    }

    /**
     * Returns a value that is on or off.
     *
     * @param name such as {@code wifi}
     * @return whether it is on
     */
    public static boolean isOn(String name) {
        return "1".equals(get(name));
    }

    /**
     * Returns the present state.
     *
     * @return values by name; none without a phone
     */
    public static Map<String, String> all() {
        String text = PhoneFile.read(FILE);
        Parsed state = latest;
        if (!state.text.equals(text)) {
            state = new Parsed(text);
            latest = state;
        }
        return state.values;
    }

    private static String decoded(String text) {
        try {
            return text.indexOf('%') < 0 ? text : URLDecoder.decode(text, "UTF-8");
        } catch (UnsupportedEncodingException e) {
            throw new AssertionError(e);
        }
    }

    /** A text and its values. */
    private static final class Parsed {
        final String text;
        final Map<String, String> values;

        Parsed(String text) {
            this.text = text;
            Map<String, String> found = new HashMap<>();
            for (String line : text.split("\n")) {
                int space = line.indexOf(' ');
                if (space > 0) {
                    found.put(decoded(line.substring(0, space)), decoded(line.substring(space + 1)));
                }
            }
            values = Collections.unmodifiableMap(found);
        }
    }
}
