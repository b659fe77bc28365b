package org.navitas.instrument.code;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Scans a class file quickly. Finds its name and version, and checks that every length stays within the file, so that
 * Javassist never allocates an array of a corrupt length (JVMS 4.1, 4.4, 4.7).
 */
public final class ClassScan {
    /** Java 25, the newest version whose instructions and attributes are known to stay valid. */
    public static final int NEWEST_MAJOR = 69;

    private static final int JAVA_0 = 44;
    public static final String MARKER = "NavitasInstrumented";
    private static final int UTF8 = 1;
    private static final int INTEGER = 3;
    private static final int CLASS = 7;
    /** Number of bytes after the tag of each kind of constant pool entry, by tag; 0 for undefined tags. */
    private static final int[] ENTRY_BYTES = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    private final byte[] bytes;
    private int at;
    private int[] pool;

    /** Major version of the class file; 69 is Java 25. */
    int major;
    /** Fully qualified name, with dots. */
    public String name;

    public boolean instrumented;

    private ClassScan(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Scans the whole file. */
    public static ClassScan of(byte[] bytes) throws MalformedClassException {
        ClassScan scan = new ClassScan(bytes);
        scan.header();
        scan.body();
        return scan;
    }

    /** Scans the whole file; returns null if it is malformed. */
    public static ClassScan orNull(byte[] bytes) {
        try {
            return of(bytes);
        } catch (MalformedClassException e) {
            return null;
        }
    }

    /** Scans the version and the constant pool only. */
    public static ClassScan poolOf(byte[] bytes) throws MalformedClassException {
        ClassScan scan = new ClassScan(bytes);
        scan.header();
        return scan;
    }

    /** Returns the names of a class and its superclass, with dots; null if it has none, or the file is malformed. */
    public static String[] namesOf(byte[] bytes) {
        try {
            ClassScan scan = poolOf(bytes);
            scan.u2();
            String name = scan.className(scan.u2());
            int above = scan.u2();
            return above == 0 ? null : new String[] {name, scan.className(above)};
        } catch (MalformedClassException e) {
            return null;
        }
    }

    /** Reads the version only, which works even if the constant pool is unknown. */
    public static int majorOf(byte[] bytes) throws MalformedClassException {
        ClassScan scan = new ClassScan(bytes);
        scan.magicAndVersion();
        return scan.major;
    }

    /** Returns what messages call a class of a version that is left alone. */
    public static String newer() {
        return "newer than Java " + (NEWEST_MAJOR - JAVA_0);
    }

    public int poolCount() {
        return pool.length;
    }

    /** Returns the file offset of the value of a constant pool entry, after its tag. */
    public int poolOffset(int index) {
        return pool[index] + 1;
    }

    public Set<Integer> integers() {
        Set<Integer> found = new HashSet<>();
        for (int i = 1; i < pool.length; i++) {
            if (pool[i] > 0 && bytes[pool[i]] == INTEGER) {
                int p = pool[i] + 1;
                found.add(
                        bytes[p] << 24 | (bytes[p + 1] & 255) << 16 | (bytes[p + 2] & 255) << 8 | (bytes[p + 3] & 255));
            }
        }
        return found;
    }

    /** Returns false only if no class constant has a name whose hash code is accepted. Reads no names, so it is fast. */
    public boolean namesClass(IntPredicate hashCode) throws MalformedClassException {
        for (int i = 1; i < pool.length; i++) {
            if (pool[i] > 0 && bytes[pool[i]] == CLASS) {
                int utf8 = entry((bytes[pool[i] + 1] & 255) << 8 | (bytes[pool[i] + 2] & 255), UTF8);
                int end = utf8 + 3 + ((bytes[utf8 + 1] & 255) << 8 | (bytes[utf8 + 2] & 255));
                int hash = 0;
                for (int p = utf8 + 3; p < end; p++) {
                    hash = 31 * hash + bytes[p]; // as String.hashCode
                }
                if (hashCode.test(hash)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void magicAndVersion() throws MalformedClassException {
        if (u4() != 0xCAFEBABEL) {
            throw new MalformedClassException("not a class file");
        }
        u2();
        major = u2();
    }

    private void header() throws MalformedClassException {
        magicAndVersion();
        pool = new int[Math.max(1, u2())];
        for (int i = 1; i < pool.length; i++) {
            pool[i] = at;
            int tag = u1();
            if (tag == UTF8) {
                skip(u2());
            } else if (tag < ENTRY_BYTES.length && ENTRY_BYTES[tag] > 0) {
                skip(ENTRY_BYTES[tag]);
                if (ENTRY_BYTES[tag] == 8) {
                    i++; // long and double take two entries
                }
            } else {
                throw new MalformedClassException("unknown constant pool tag " + tag);
            }
        }
    }

    private void body() throws MalformedClassException {
        u2();
        name = className(u2());
        u2();
        skip(2L * u2());
        members();
        members();
        int attributes = u2();
        for (int i = 0; i < attributes; i++) {
            instrumented |= isUtf8(u2(), MARKER);
            skip(u4());
        }
        if (at != bytes.length) {
            throw new MalformedClassException((bytes.length - at) + " bytes after the end");
        }
    }

    private void members() throws MalformedClassException {
        int members = u2();
        for (int i = 0; i < members; i++) {
            skip(6);
            int attributes = u2();
            for (int j = 0; j < attributes; j++) {
                boolean code = isUtf8(u2(), "Code");
                long length = u4();
                long end = at + length;
                if (code) {
                    code();
                    if (at != end) {
                        throw new MalformedClassException("bad length of a Code attribute");
                    }
                } else {
                    skip(length);
                }
            }
        }
    }

    private void code() throws MalformedClassException {
        skip(4);
        skip(u4());
        skip(8L * u2());
        int attributes = u2();
        for (int i = 0; i < attributes; i++) {
            u2();
            skip(u4());
        }
    }

    private String className(int index) throws MalformedClassException {
        int entry = entry(index, CLASS);
        int utf8 = entry((bytes[entry + 1] & 255) << 8 | (bytes[entry + 2] & 255), UTF8);
        int length = (bytes[utf8 + 1] & 255) << 8 | (bytes[utf8 + 2] & 255);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, utf8 + 1, length + 2))) {
            return in.readUTF().replace('/', '.');
        } catch (IOException e) {
            throw new MalformedClassException("class name is not UTF-8");
        }
    }

    private int entry(int index, int tag) throws MalformedClassException {
        if (index <= 0 || index >= pool.length || pool[index] == 0 || bytes[pool[index]] != tag) {
            throw new MalformedClassException("constant pool entry " + index + " is not of kind " + tag);
        }
        return pool[index];
    }

    private boolean isUtf8(int index, String ascii) throws MalformedClassException {
        int start = entry(index, UTF8);
        int length = (bytes[start + 1] & 255) << 8 | (bytes[start + 2] & 255);
        return length == ascii.length()
                && new String(bytes, start + 3, length, StandardCharsets.ISO_8859_1).equals(ascii);
    }

    private int u1() throws MalformedClassException {
        if (at >= bytes.length) {
            throw new MalformedClassException("ends too early");
        }
        return bytes[at++] & 255;
    }

    private int u2() throws MalformedClassException {
        return u1() << 8 | u1();
    }

    private long u4() throws MalformedClassException {
        return (long) u2() << 16 | u2();
    }

    private void skip(long count) throws MalformedClassException {
        if (count > bytes.length - at) {
            throw new MalformedClassException("ends too early");
        }
        at += (int) count;
    }
}
