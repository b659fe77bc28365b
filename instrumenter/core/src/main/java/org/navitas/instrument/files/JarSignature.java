package org.navitas.instrument.files;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Removes a jar's signature. Changed classes do not match it, so the JVM would refuse to load them (JAR File
 * Specification, "Signed JAR File").
 */
public final class JarSignature {
    private static final Pattern FILE = Pattern.compile("META-INF/(SIG-[^/]*|[^/]+\\.(SF|RSA|DSA|EC))");
    private static final Pattern DIGEST =
            Pattern.compile("(?i)[a-z0-9-]+-Digest(-[a-z0-9-]+)?:.*|Magic:.*", Pattern.DOTALL);

    private JarSignature() {}

    /** Returns whether the entry is a signature file or signature block. */
    public static boolean isSignature(String path) {
        return FILE.matcher(path.toUpperCase(Locale.ROOT)).matches();
    }

    /** Returns the manifest without digests. Keeps all other attributes, and drops sections that contain only digests. */
    public static byte[] withoutDigests(byte[] manifest) {
        String text = new String(manifest, StandardCharsets.ISO_8859_1)
                .replace("\r\n", "\n")
                .replace('\r', '\n');
        String[] sections = text.split("\n{2,}");
        StringBuilder kept = new StringBuilder();
        for (int i = 0; i < sections.length; i++) {
            StringBuilder section = new StringBuilder();
            int attributes = 0;
            for (String attribute :
                    sections[i].split("\n(?! )")) { // a line that begins with a space continues the previous one
                if (!attribute.isEmpty()
                        && (i == 0 || !DIGEST.matcher(attribute).matches())) {
                    section.append(attribute.replace("\n", "\r\n")).append("\r\n");
                    attributes++;
                }
            }
            if (i == 0 || attributes > 1) {
                kept.append(section).append("\r\n");
            }
        }
        return kept.toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
