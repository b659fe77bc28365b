package org.navitas.instrument.map;

/**
 * A method with probes: its name and descriptor from the class file, and its first source line; 0 if unknown. Methods of a
 * class are equal if their names and descriptors are.
 */
public final class MethodRef {
    public final String name;
    public final String descriptor;
    public final int line;

    public MethodRef(String name, String descriptor, int line) {
        this.name = name;
        this.descriptor = descriptor;
        this.line = line;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof MethodRef
                        && name.equals(((MethodRef) other).name)
                        && descriptor.equals(((MethodRef) other).descriptor);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + descriptor.hashCode();
    }
}
